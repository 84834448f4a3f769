// The wall of an event, for a projector: how to come in, then standings that move, and live boards.

import { t } from "../model/language.js";
import { hasGames, missingWords, namesIn, progressWords, roundWords, timeLeft } from "../model/event_words.js";
import { outcomeWords } from "../model/words.js";
import { eventOfLocation, eventPage, fetchJson, isThisMachineAlone, joinPage } from "../net/address.js";
import { EventSession } from "../net/event_session.js";
import { BoardSvg } from "../view/board_svg.js";
import { confetti } from "../view/event/confetti.js";
import { ConnectionNotice } from "../view/connection_notice.js";
import { byId, h, setChildren, setText } from "../view/dom.js";
import { bracketOf } from "../view/event/tables.js";
import { codeOf } from "../view/share.js";
import { loadTexts } from "../view/page.js";
import { podium, WallTable } from "../view/event/wall_table.js";

const PODIUM_MS = 20_000; // then the whole table
const MOST_BOARDS = 8; // more would be too small, as would be a larger bracket
const MOST_TIES = 8;
const ASK_MS = 5_000;

await loadTexts("event", "share");

const name = eventOfLocation();
const tiles = new Map(); // by room
const table = new WallTable();
let event = null;
let clockSkew = 0;
let podiumUntil = 0;
let all = []; // the standings, where a message has not all of them
let asking = null;

const session = new EventSession(
  name,
  {
    onMessage: (message) => {
      if (message.event) show(message.event);
      else if (message.type === "boards") showBoards(message.boards.slice(0, MOST_BOARDS));
    },
    onOutside: () => setText(byId("status"), t("tournament.none")),
    onState: (state) => {
      notice.update(state);
      byId("line").classList.toggle("stale", event !== null && state.state !== "open");
    },
  },
  { as: "wall" },
);

const notice = new ConnectionNotice(() => session.enter());

setText(byId("name"), name); // until its title is known
byId("notice").append(notice.element);
setText(byId("address"), t("tournament.join_at", { address: joinPage().replace(/^https?:\/\//, "") }));
setText(byId("code"), name);
byId("code").style.setProperty("--letters", name.length);
byId("qr").append(codeOf(eventPage(name)) ?? "");
if (isThisMachineAlone()) setText(byId("alone"), t("share.alone"));
session.enter();
setInterval(showClock, 500);
byId("full").hidden = !document.fullscreenEnabled;
byId("full").addEventListener("click", () => document.documentElement.requestFullscreen());
addEventListener("fullscreenchange", () => (byId("full").hidden = document.fullscreenElement !== null));

function show(state) {
  const isOver = ["running", "paused"].includes(event?.status) && state.status === "finished" && hasGames(state);
  event = state;
  clockSkew = event.now - Date.now();
  setText(byId("name"), event.title);
  setText(byId("players"), t("tournament.players", { count: event.players }));
  byId("way-in").hidden = !event.doors_open || event.status === "finished";
  byId("way-in").classList.toggle("late", event.status !== "created");
  byId("announcements").replaceChildren(...event.announcements.map((text) => h("li", {}, text)));
  if (isOver) {
    podiumUntil = performance.now() + PODIUM_MS;
    setTimeout(showTable, PODIUM_MS);
    confetti();
  }
  if (event.players > event.standings.length) askForAll();
  else all = [];
  showTable();
  showClock();
}

/** Ask for all standings: a message has the first rows alone. */
function askForAll() {
  asking ??= setTimeout(
    async () => {
      all = (await fetchJson(`events/${name}`))?.standings ?? all;
      asking = null;
      showTable();
    },
    all.length ? ASK_MS : 0,
  );
}

/** Show the podium for a while, then all names. The last rounds of a knockout are a bracket, until there is a winner. */
function showTable() {
  const isBracket = ["running", "paused"].includes(event.status) && event.bracket?.at(-1).length <= MOST_TIES;
  const hasPodium = performance.now() < podiumUntil;
  const hasNames = event.players > 0 && !hasPodium && !isBracket;
  const isTold = ({ id }) => event.standings.some((row) => row.id === id);
  if (hasNames) table.show({ ...event, standings: [...event.standings, ...all.filter((row) => !isTold(row))] });
  setChildren(byId("standings"), hasPodium ? [podium(event)] : hasNames ? [table.element] : []);
  byId("bracket").replaceChildren(...(isBracket ? [bracketOf(event.bracket, event.bracket.length - 1)] : []));
}

function showClock() {
  notice.tick(performance.now());
  if (!event) return;
  const now = Date.now() + clockSkew;
  setText(byId("clock"), timeLeft(event, now) ?? "");
  setText(byId("status"), roundWords(event, now));
  setText(byId("waiting"), `${progressWords(event, now)} ${missingWords(event)}`.trim());
  document.title = `${roundWords(event, now)} · ${event.title}`;
}

/** Show the liveliest boards: a board that stays keeps its tile, and draws its new marks alone. */
function showBoards(boards) {
  const rooms = new Set(boards.map(({ room }) => room));
  for (const room of tiles.keys()) if (!rooms.has(room)) tiles.delete(room);
  for (const board of boards) {
    if (!tiles.has(board.room)) tiles.set(board.room, new Tile(event.settings.rules));
    tiles.get(board.room).draw(board);
  }
  const columns = boards.length > 3 ? 2 : 1;
  byId("boards").style.setProperty("--columns", columns);
  byId("boards").style.setProperty("--rows", Math.max(columns + 1, Math.ceil(boards.length / columns)));
  setChildren(
    byId("boards"),
    boards.map(({ room }) => tiles.get(room).element),
  );
}

/** A board, the names of its players, and how the game ended. */
class Tile {
  #svg;
  #words = h("p", {});

  constructor(rules) {
    this.#svg = new BoardSvg(rules);
    this.element = h("li", { class: "card" }, this.#svg.element, this.#words);
  }

  draw({ X, O, game }) {
    const shown = namesIn(event);
    const names = { X: shown(X), O: shown(O) };
    const { outcome } = game;
    const player = (mark) =>
      h("span", { class: `player ${mark}${!outcome && game.turn === mark ? " turn" : ""}` }, h("bdi", {}, names[mark]));
    const pair = [player("X"), " – ", player("O")];
    this.#svg.draw(game);
    if (outcome?.winner) this.#words.replaceChildren(h("strong", {}, t("tournament.won", { name: names[outcome.winner] })));
    else this.#words.replaceChildren(...pair, ...(outcome ? [h("strong", {}, outcomeWords(outcome))] : []));
  }
}
