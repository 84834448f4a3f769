// The lobby: the public rooms, live, and a form to make a room.

import { rulesWords } from "../model/words.js";
import { fetchJson, roomPage, socketUrl } from "../net/address.js";
import { Connection } from "../net/connection.js";
import { forgetToken, recallName, recallToken, rememberToken } from "../net/token_store.js";
import { BoardSvg } from "../view/board_svg.js";
import { byId, h, setChildren, setText } from "../view/dom.js";
import { Notice } from "../view/notice.js";
import { RoomForm } from "../view/room_form.js";

const MOST_SHOWN = 60;

const cards = new Map();
let rooms = [];
let all = false;

const notice = new Notice(() => connection.dial());
const connection = new Connection(socketUrl("lobby"), {
  firstCommand: () => null,
  onMessage: (message) => {
    if (message.type !== "rooms") return;
    rooms = message.rooms;
    show();
  },
  onState: (state) => notice.update(state),
});

const form = new RoomForm(null, ({ room, joinFields }) => create(room, joinFields));
byId("notice").append(notice.element);
byId("new").append(form.element);
byId("more").addEventListener("click", () => {
  all = true;
  show();
});
connection.dial();

/**
 * Make the room, store the token of the seat, and go to the room's page. A stored token gets its own
 * seat back: the token of a second seat would overwrite it.
 */
function create(room, joinFields) {
  const firstCommand = () => {
    const token = recallToken(room);
    return token
      ? { type: "join", token, settings: joinFields.settings }
      : { type: "join", name: recallName() || undefined, ...joinFields };
  };
  const maker = new Connection(socketUrl(`rooms/${room}`), {
    firstCommand,
    onMessage: (message) => {
      if (message.type === "welcome") {
        if (message.you.token) rememberToken(room, message.you.token);
        maker.close();
        location.assign(roomPage(room));
      } else if (message.code === "bad_token") {
        forgetToken(room);
        maker.send(firstCommand());
      } else if (message.type === "refused") {
        maker.close();
        form.refuse(message.reason);
      }
    },
    onState: ({ state }) => {
      if (state !== "lost" && state !== "ended") return;
      maker.close();
      form.refuse("The server cannot be reached.");
    },
  });
  maker.dial();
}

/** Open rooms that wait for a player first, then games, then the rest; by spectators within each. */
function inOrder(list) {
  const rank = ({ status, locked }) => (status === "waiting" && !locked ? 0 : status === "playing" ? 1 : 2);
  return [...list].sort(
    (a, b) => rank(a) - rank(b) || b.spectators - a.spectators || a.name.localeCompare(b.name),
  );
}

function show() {
  const ordered = inOrder(rooms);
  const shown = all ? ordered : ordered.slice(0, MOST_SHOWN);
  const names = new Set(shown.map(({ name }) => name));
  for (const [name, card] of cards) {
    if (names.has(name)) continue;
    card.close();
    cards.delete(name);
  }
  for (const room of shown) {
    if (!cards.has(room.name)) cards.set(room.name, new Card(room));
    cards.get(room.name).show(room);
  }
  setChildren(
    byId("rooms"),
    shown.map(({ name }) => cards.get(name).element),
  );
  setText(byId("status"), rooms.length === 1 ? "1 room" : `${rooms.length} rooms`);
  byId("none").hidden = rooms.length > 0;
  byId("more").hidden = shown.length === rooms.length;
  setText(byId("more"), `Show all ${rooms.length} rooms`);
}

class Card {
  #room = null;
  #svg;
  #players = h("p", { class: "players" });
  #facts = h("p", { class: "facts" });
  #link;
  #watch;
  #visible = false;

  constructor(room) {
    this.#svg = new BoardSvg(room.rules);
    this.#link = h("a", { href: roomPage(room.name), class: "button" });
    this.element = h(
      "li",
      { class: "card" },
      this.#svg.element,
      h("div", {}, h("h3", {}, room.name), this.#players, this.#facts, this.#link),
    );
    // Only visible cards fetch boards: a lobby of thousands costs no more than a screenful.
    this.#watch = new IntersectionObserver(([entry]) => {
      this.#visible = entry.isIntersecting;
      if (this.#visible) boards.request(this);
    });
    this.#watch.observe(this.element);
  }

  show(room) {
    const before = this.#room;
    this.#room = room;
    const { seats, status, ply, spectators, locked, rules } = room;
    this.#players.replaceChildren(h("bdi", {}, seats.X ?? "free"), " – ", h("bdi", {}, seats.O ?? "free"));
    const facts = [
      rulesWords(rules),
      status === "playing" ? `move ${ply}` : status,
      locked ? "locked" : null,
      spectators ? `${spectators} watching` : null,
    ];
    setText(this.#facts, facts.filter(Boolean).join(" · "));
    const verb = status === "waiting" ? "Join" : "Watch";
    setText(this.#link, verb);
    this.#link.setAttribute("aria-label", `${verb} ${room.name}`);
    const isNew = before?.ply !== ply || before?.status !== status;
    if (isNew && this.#visible) boards.request(this);
  }

  close() {
    this.#watch.disconnect();
    this.#visible = false;
  }

  /** Fetch the board, and draw it. */
  async draw() {
    if (!this.#visible || this.#room.locked || this.#room.ply === 0) return this.#svg.draw(null);
    const state = await fetchJson(`rooms/${this.#room.name}`);
    return state && this.#svg.draw(state.game);
  }
}

/** Boards to fetch, one at a time, so that a busy lobby does not flood the server. */
const boards = {
  waiting: new Set(),
  busy: false,
  async request(card) {
    this.waiting.add(card);
    if (this.busy) return;
    this.busy = true;
    for (const next of this.waiting) {
      this.waiting.delete(next);
      await next.draw();
    }
    this.busy = false;
  },
};
