// Sharing a game that is over: its link, a still picture, an animated one, and a frame for another page.

import { gifOf } from "../model/gif.js";
import { t } from "../model/language.js";
import { boardAfter } from "../model/positions.js";
import { markAt } from "../model/state.js";
import { nameOf, outcomeWords, rulesWords } from "../model/words.js";
import { fetchJson, gamePage } from "../net/address.js";
import { recallToken } from "../net/token_store.js";
import { h, setText } from "./dom.js";
import { download } from "./download.js";
import { addPart } from "./page.js";
import { Picture } from "./picture.js";
import { Share } from "./share.js";

const [MOVE_MS, QUICK_MS, END_MS] = [700, 250, 3000];
const MANY = 40; // moves from which on they come quicker
const BREATH = 8; // pictures that are drawn at a stretch
const SHARP = 2; // pixels of a still picture for one of the page

/**
 * Open the choices for a game: `{room, number, rules, moves, boards, outcome, names}`, the moves as `{cell, seat}`,
 * the boards as a record has them, and the names by their marks.
 */
export async function shareGame(game) {
  await addPart("share");
  const words = [`${game.names.X} – ${game.names.O}`, endWords(game)];
  const picture = new Picture(game.rules, words);
  await picture.prepare();
  const canvas = h("canvas", { class: "preview", role: "img", "aria-label": words.join(", ") });
  const status = h("p", { role: "status", class: "facts" });
  await drawEnd(picture, game);
  picture.paint(canvas, SHARP);
  const offer = (key, kind, make) => {
    const press = async () => {
      setText(status, t("share.drawing"));
      await new Promise((done) => setTimeout(done)); // so that the words are seen first
      const blob = await make();
      await give(new File([blob], `${game.room}-${game.number}.${kind.split("/")[1].split("+")[0]}`, { type: kind }));
      setText(status, t("share.done"));
    };
    return h("button", { type: "button", onclick: press }, t(key));
  };
  const dialog = h(
    "dialog",
    { class: "share-dialog", "aria-label": t("share.game"), onclose: () => (picture.close(), dialog.remove()) },
    h("form", { method: "dialog" }, h("h2", {}, t("share.game")), h("button", { class: "tool", "aria-label": t("share.close") }, "×")),
    h("div", { class: "share-parts" }, canvas, h("div", { class: "share-ways" },
      h("div", { class: "buttons" },
        offer("share.gif", "image/gif", () => gif(picture, game)),
        offer("share.png", "image/png", () => drawEnd(picture, game).then(() => new Promise((done) => (picture.paint(canvas, SHARP), canvas.toBlob(done))))),
        offer("share.svg", "image/svg+xml", () => drawEnd(picture, game).then(() => new Blob([picture.svg()], { type: "image/svg+xml" }))),
      ),
      status,
      new Share(gamePage(game.room, game.number), { label: t("share.game_link"), title: t("share.game_link"), frameOf: game.room }).element,
    )),
  );
  document.body.append(dialog);
  dialog.showModal();
}

/** Open the choices for the game of a room, which is over; `room` as in a message of the server's. */
export async function shareGameOf(name, { game, seats, settings: { rules } }) {
  const { number, outcome } = game;
  const moves = game.moves.map((cell, ply) => ({ cell, seat: rules.variant ? markAt(ply, rules) : game.board[cell] }));
  const { boards = [] } = rules.variant ? ((await fetchJson(`rooms/${name}/games/${number}`, recallToken(name))) ?? {}) : {};
  const names = { X: nameOf(seats.X, rules), O: nameOf(seats.O, rules) };
  return shareGame({ room: name, number, rules, moves, boards, outcome, names });
}

/** How the game ended: `Ada won`; what it was where it did not. */
function endWords({ names, outcome, rules }) {
  if (!outcome) return rulesWords(rules);
  return outcome.winner ? t("outcome.won", { name: names[outcome.winner] }) : outcomeWords(outcome);
}

const drawEnd = (picture, game) => picture.draw(positionAt(game, game.moves.length));

/** The game after so many moves. */
function positionAt({ rules, moves, boards, outcome }, count) {
  const isEnd = count === moves.length;
  return { board: boardAfter(rules, moves, count, boards), moves: moves.slice(0, count).map(({ cell }) => cell), outcome: isEnd ? outcome : null };
}

/** Every position of the game, one after the other. */
async function gif(picture, game) {
  const canvas = h("canvas");
  const { length } = game.moves;
  const pixelsAt = async (count) => {
    await picture.draw(positionAt(game, count));
    return picture.paint(canvas).getImageData(0, 0, canvas.width, canvas.height).data;
  };
  async function* frames() {
    for (let count = 0; count <= length; count++) {
      if (count % BREATH === 0) await new Promise((done) => setTimeout(done)); // the page stays alive
      yield { pixels: await pixelsAt(count), ms: count === length ? END_MS : length > MANY ? QUICK_MS : MOVE_MS };
    }
  }
  const samples = [await pixelsAt(Math.ceil(length / 2)), await pixelsAt(length)];
  return new Blob([await gifOf(picture.width, picture.height, samples, frames())], { type: "image/gif" });
}

/** Hand a file to the system's own sheet where a finger is used and there is one; else download it. */
async function give(file) {
  if (matchMedia("(pointer: coarse)").matches && navigator.canShare?.({ files: [file] })) {
    return navigator.share({ files: [file] }).catch(() => {}); // it was closed again
  }
  download(file, file.name);
}
