// The wall of an event, for a projector: how to come in, then standings that move, and live boards.

import { t } from "../model/language.js";
import { statusWords, timeLeft } from "../model/event_words.js";
import { eventOfLocation, eventPage, fetchJson } from "../net/address.js";
import { EventSession } from "../net/event_session.js";
import { BoardSvg } from "../view/board_svg.js";
import { confetti } from "../view/confetti.js";
import { byId, h, setChildren, setText } from "../view/dom.js";
import { bracketOf, standingsTable } from "../view/event_tables.js";
import { Share } from "../view/share.js";
import { loadTexts } from "../view/texts.js";

const ROWS = 12;
const TILES = 6;
const BOARDS_MS = 2_000;

await loadTexts();

const name = eventOfLocation();
const tiles = new Map(); // by room
let event = null;
let clockSkew = 0;

const session = new EventSession(
  name,
  {
    onMessage: (message) => message.event && show(message.event),
    onOutside: () => setText(byId("status"), t("tournament.none")),
    onState: ({ state }) => byId("line").classList.toggle("stale", state !== "open"),
  },
  { isOnlooker: true },
);

setText(byId("address"), eventPage(name).replace(/^https?:\/\//, ""));
byId("code").append(new Share(eventPage(name)).element.querySelector(".qr") ?? "");
session.enter();
setInterval(showClock, 500);
setInterval(drawBoards, BOARDS_MS);

function show(state) {
  const isWon = event?.status === "running" && state.status === "finished";
  event = state;
  clockSkew = event.now - Date.now();
  document.title = `${statusWords(event)} · ${event.title}`;
  setText(byId("name"), event.title);
  setText(byId("status"), statusWords(event));
  byId("way-in").hidden = event.status !== "created";
  byId("announcements").replaceChildren(...event.announcements.map((text) => h("li", {}, text)));
  // In a knockout the bracket says it all, until there is a winner.
  const isBracket = event.bracket && event.status !== "created";
  const hasTable = event.players && (!isBracket || event.status === "finished");
  byId("standings").replaceChildren(...(hasTable ? [standingsTable(event, { most: ROWS })] : []));
  byId("bracket").replaceChildren(...(isBracket ? [bracketOf(event.bracket)] : []));
  showTiles();
  showClock();
  if (isWon) confetti();
}

function showClock() {
  if (event) setText(byId("clock"), timeLeft(event, Date.now() + clockSkew) ?? "");
}

/** The boards of the first games under way. */
function showTiles() {
  const games = event.games.filter(({ result }) => result === null).slice(0, TILES);
  const rooms = new Set(games.map(({ room }) => room));
  for (const room of tiles.keys()) if (!rooms.has(room)) tiles.delete(room);
  for (const game of games) if (!tiles.has(game.room)) tiles.set(game.room, new Tile(game, event.settings.rules));
  setChildren(
    byId("boards"),
    games.map(({ room }) => tiles.get(room).element),
  );
}

async function drawBoards() {
  for (const tile of [...tiles.values()]) await tile.draw();
}

class Tile {
  #room;
  #svg;

  constructor(game, rules) {
    this.#room = game.room;
    this.#svg = new BoardSvg(rules);
    const player = (mark) => h("span", { class: `player ${mark}` }, h("bdi", {}, game[mark]));
    this.element = h("li", { class: "card" }, this.#svg.element, h("p", {}, player("X"), " – ", player("O")));
    this.draw();
  }

  async draw() {
    const state = await fetchJson(`rooms/${this.#room}`);
    if (state) this.#svg.draw(state.game);
  }
}
