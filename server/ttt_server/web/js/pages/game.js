// The page of a game: step through its moves, and see the value of each.

import { t } from "../model/language.js";
import { markAt } from "../model/state.js";
import { boardAfter, positionQuery } from "../model/positions.js";
import {
  becauseWords,
  choiceWords,
  isolated,
  cellName,
  cellNames,
  moveWords,
  nameOf,
  outcomeWords,
  rulesWords,
  thoughtWords,
  worthWords,
} from "../model/words.js";
import { explorePage, fetchJson, gamePage, parseLocation, roomPage } from "../net/address.js";
import { recallPerson, recallToken } from "../net/token_store.js";
import { Board } from "../view/board.js";
import { showBotLog } from "../view/game/bot_log.js";
import { byId, h, setText } from "../view/dom.js";
import { glyph } from "../view/seats.js";
import { icon, loadTexts } from "../view/page.js";

await loadTexts("game");

const { room, game: number } = parseLocation();
const token = recallToken(room) ?? recallPerson();
const STEP_MS = 900; // of a game that plays by itself

const slider = byId("ply");
let record = null;
let moves = [];
let analysis = null;
let board = null;
let ply = 0;
let playing = 0; // the timer, while the game plays by itself

open();

async function open() {
  setText(byId("name"), room);
  byId("name").href = roomPage(room);
  record = number === null ? null : await fetchJson(`rooms/${room}/games/${number}`, token);
  document.title = `${number === null ? room : t("game.title", { room, number })} · ${t("app")}`;
  if (!record) return showNone();
  setText(byId("number"), `· ${t("game.number", { number })}`);
  moves = movesOf(record);
  board = new Board(record.rules);
  byId("board").append(board.element);
  for (const mark of ["X", "O"])
    byId("players").append(
      h("span", { class: `player ${mark}` }, glyph(mark), h("bdi", {}, nameOf(sidesAtEnd(record)[mark], record.rules))),
    );
  setText(byId("rules"), `· ${rulesWords(record.rules)}`);
  slider.max = moves.length;
  listMoves();
  byId("game").hidden = false;
  listen();
  goTo(plyOfAddress());
  if (endOf(record)) await analyse();
}

function showNone() {
  setText(byId("status"), t("game.none"));
  setText(byId("because"), t("game.none_words"));
  byId("none").replaceChildren(h("a", { href: roomPage(room), class: "button" }, t("game.to_room", { room })));
}

async function analyse() {
  setText(byId("verdict"), t("game.working"));
  analysis = await fetchJson(`rooms/${room}/games/${number}?analysis=1`, token);
  setText(byId("verdict"), analysis ? verdict() : t("game.unavailable"));
  if (!analysis) return;
  byId("worth-switch").hidden = analysis.analysis.every(({ worth }) => worth === null);
  for (const { ply: at, mistake } of analysis.analysis) {
    const item = byId("moves").children[at];
    item.classList.toggle("mistake", mistake);
    item.classList.toggle("thrown", at === analysis.thrown_away_at);
    if (mistake)
      item.firstChild.append(
        h("span", { class: "sign" }, t(at === analysis.thrown_away_at ? "game.thrown_sign" : "game.mistake_sign")),
      );
  }
  show();
}

function verdict() {
  if (moves.length === 0) return t("game.no_move");
  const at = analysis.thrown_away_at;
  const known = analysis.analysis.filter(({ worth }) => worth !== null).length;
  if (known === 0) return t("game.too_large");
  const made = moves.length - (record.start?.length ?? 0);
  const rest =
    known < made ? t("game.before", { ply: moves.length - known + 1 }) : "";
  if (at === null) return nothingWords() + rest;
  const move = moves[at];
  return t("game.thrown", { mark: move.seat, ply: at + 1, cell: cellName(move.cell, record.rules) }) + rest;
}

/** No mistake is known. A move whose alternatives are not known may still have been the last one. */
function nothingWords() {
  const winner = endOf(record).outcome.winner;
  const doubt = analysis.analysis.findLast(
    ({ seat, worth, values }) =>
      seat !== winner && (worth === -1 || worth === 0) && Object.values(values).includes(null),
  );
  if (!doubt) return t("game.nothing");
  const unknown = Object.keys(doubt.values).filter((cell) => doubt.values[cell] === null);
  const { rules } = record;
  return (
    t("game.nothing_known") +
    t(`game.doubt.${doubt.worth}`, {
      ply: doubt.ply + 1,
      cell: cellName(doubt.cell, rules),
      cells: cellNames(unknown, rules),
    })
  );
}

/** The moves of the start, and those that were not taken back, with their marks and the AIs' reasons. */
function movesOf({ start = [], events, seats, rules }) {
  let sides = seats;
  const stood = start.map((cell, at) => ({ cell, seat: markAt(at, rules) }));
  for (const event of events) {
    if (event.type === "played") stood.push({ ...event, seat: markAt(event.ply, rules) });
    if (event.type === "chosen" && stood.length) {
      const words = choiceWords(event, `${nameOf(sides[event.seat], rules)} (${event.seat})`);
      stood.push({ ...stood.pop(), chosen: words });
      if (event.choice === "swap") sides = { X: sides.O, O: sides.X };
    }
    if (event.type === "taken_back") stood.length = event.ply;
  }
  return stood;
}

/** The players by their seats after all swaps. */
function sidesAtEnd({ events, seats: { X, O } }) {
  const swaps = events.filter(({ type, choice }) => type === "chosen" && choice === "swap").length;
  return swaps % 2 ? { X: O, O: X } : { X, O };
}

const endOf = ({ events }) => events.find((event) => event.type === "ended") ?? null;

function listMoves() {
  const items = moves.map((move, at) => {
    const reason = move.reason ? h("span", { class: "reason" }, ` ${thoughtWords(move.reason)}`) : null;
    const text = moveWords(move, record.rules);
    const chosen = move.chosen ? h("span", { class: "reason" }, ` ${move.chosen}`) : null;
    return h("li", {}, h("button", { type: "button", onclick: () => step(at + 1) }, text, reason, chosen));
  });
  byId("moves").replaceChildren(...items);
}

function listen() {
  slider.addEventListener("input", () => (stop(), showPly(slider.valueAsNumber)));
  slider.addEventListener("change", () => goTo(slider.valueAsNumber));
  const on = (id, act) => byId(id).addEventListener("click", act);
  on("first", () => step(0));
  on("back", () => step(ply - 1));
  on("play", () => (playing ? stop() : start()));
  on("forward", () => step(ply + 1));
  on("last", () => step(moves.length));
  on("share", share);
  byId("worth").addEventListener("change", show);
  addEventListener("hashchange", () => goTo(plyOfAddress()));
  addEventListener("keydown", press);
  showPlaying();
}

/** Play the game by itself, from here or, at its end, from the beginning. */
function start() {
  if (ply === moves.length) goTo(0);
  playing = setInterval(() => {
    goTo(ply + 1);
    if (ply === moves.length) stop();
  }, STEP_MS);
  showPlaying();
}

function stop() {
  clearInterval(playing);
  playing = 0;
  showPlaying();
}

function showPlaying() {
  byId("play").replaceChildren(icon(playing ? "M8 5v14M16 5v14" : "M8 5l11 7-11 7z"));
  byId("play").ariaLabel = t(playing ? "game.pause" : "game.play");
}

/** Go to a ply by a press, which ends playing by itself. */
function step(asked) {
  stop();
  goTo(asked);
}

async function share() {
  const sides = sidesAtEnd(record);
  const names = { X: nameOf(sides.X, record.rules), O: nameOf(sides.O, record.rules) };
  const outcome = endOf(record)?.outcome ?? null;
  const { shareGame } = await import("../view/share_game.js");
  shareGame({ room, number, rules: record.rules, moves, boards: record.boards, outcome, names });
}

function press(event) {
  if (event.target.closest("dialog")) return;
  if (event.altKey || event.ctrlKey || event.metaKey || event.target === slider) return;
  const to = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: moves.length }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  step(to);
}

function plyOfAddress() {
  const asked = /^#ply=(\d+)$/.exec(location.hash);
  return asked ? Number(asked[1]) : moves.length;
}

/** Show a ply, and put it into the address. */
function goTo(asked) {
  showPly(asked);
  history.replaceState(null, "", gamePage(room, number, ply));
}

function showPly(asked) {
  ply = Math.min(Math.max(asked, 0), moves.length);
  show();
}

function show() {
  const end = ply === moves.length ? endOf(record) : null;
  board.show(
    {
      board: boardAfter(record.rules, moves, ply, record.boards),
      moves: moves.slice(0, ply).map(({ cell }) => cell),
      outcome: end?.outcome ?? null,
    },
    null,
  );
  if (ply) board.reveal(moves[ply - 1].cell);
  byId("explore").href = explorePage(positionQuery(record.rules, moves.slice(0, ply).map(({ cell }) => cell)));
  slider.value = ply;
  slider.setAttribute("aria-valuetext", ply ? t("game.after", { ply }) : t("game.start"));
  setText(byId("at"), `${ply} / ${moves.length}`);
  setText(
    byId("status"),
    end ? endWords(end.outcome) : t("game.to_move", { mark: moves[ply]?.seat ?? markAt(ply, record.rules) }),
  );
  setText(byId("because"), end ? because(end) : "");
  [...byId("moves").children].forEach((item, at) =>
    item.firstChild.setAttribute("aria-current", String(at === ply - 1)),
  );
  reveal(byId("moves"), Math.max(0, ply - 1));
  showBotLog(byId("bot-log"), moves[ply - 1], record.rules);
  showWorth();
}

/** Scroll a list to a line, and nothing else. */
function reveal(list, at) {
  const line = list.children[at];
  if (!line) return;
  const [seen, there] = [list.getBoundingClientRect(), line.getBoundingClientRect()];
  if (there.top < seen.top) list.scrollTop -= seen.top - there.top;
  else if (there.bottom > seen.bottom) list.scrollTop += there.bottom - seen.bottom;
}

function showWorth() {
  const on = analysis && byId("worth").checked;
  const values = (on && analysis.analysis[ply]?.values) || {};
  board.showValues(values);
  setText(byId("values"), worthWords(values, record.rules));
}

/** Who won: by name, where the names tell the players apart. */
function endWords(outcome) {
  const sides = sidesAtEnd(record);
  const [x, o] = [nameOf(sides.X, record.rules), nameOf(sides.O, record.rules)];
  if (!outcome.winner || x === o) return outcomeWords(outcome);
  return t("outcome.won", { name: isolated(outcome.winner === "X" ? x : o) });
}

/** The reason of the end; of a forfeit with the failure that led to it. */
function because({ outcome, detail }) {
  const words = becauseWords(outcome, record.rules);
  return detail ? t("pair", { what: words, of: detail }) : words;
}
