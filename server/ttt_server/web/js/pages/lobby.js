// The lobby: the public rooms as they are, and a form to make one.

import { rulesWords } from "../model/words.js";
import { fetched, roomPage, socketOf } from "../net/address.js";
import { Connection } from "../net/connection.js";
import { forget, recall, recallName, remember } from "../net/token_store.js";
import { Picture } from "../view/board_svg.js";
import { arrange, byId, h, write } from "../view/dom.js";
import { Notice } from "../view/notice.js";
import { NewRoom } from "../view/room_form.js";

const MOST_SHOWN = 60;

const cards = new Map();
let rooms = [];
let all = false;

const notice = new Notice(() => connection.dial());
const connection = new Connection(socketOf("lobby"), {
  greet: () => null,
  hear: (message) => {
    if (message.type !== "rooms") return;
    rooms = message.rooms;
    show();
  },
  tell: (state) => notice.tell(state),
});

const form = new NewRoom(null, ({ room, wish }) => create(room, wish));
byId("notice").append(notice.element);
byId("new").append(form.element);
byId("more").addEventListener("click", () => {
  all = true;
  show();
});
connection.dial();

/**
 * Makes the room, keeps the token of the seat, and goes there. Whoever has a seat in it gets that
 * one: another one's token would take the place of its own.
 */
function create(room, wish) {
  const greet = () => {
    const token = recall(room);
    const who = token ? { token, settings: wish.settings } : { name: recallName() || undefined, ...wish };
    return { type: "join", ...who };
  };
  const maker = new Connection(socketOf(`rooms/${room}`), {
    greet,
    hear: (message) => {
      if (message.type === "welcome") {
        if (message.you.token) remember(room, message.you.token);
        maker.hangUp();
        location.assign(roomPage(room));
      } else if (message.code === "bad_token") {
        forget(room);
        maker.send(greet());
      } else if (message.type === "refused") {
        maker.hangUp();
        form.refuse(message.reason);
      }
    },
    tell: ({ state }) => {
      if (state !== "lost" && state !== "ended") return;
      maker.hangUp();
      form.refuse("The server cannot be reached.");
    },
  });
  maker.dial();
}

/** Rooms that wait for somebody first, then those with the most people around them. */
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
  arrange(
    byId("rooms"),
    shown.map(({ name }) => cards.get(name).element),
  );
  write(byId("status"), rooms.length === 1 ? "1 room" : `${rooms.length} rooms`);
  byId("none").hidden = rooms.length > 0;
  byId("more").hidden = shown.length === rooms.length;
  write(byId("more"), `Show all ${rooms.length} rooms`);
}

class Card {
  #room = null;
  #picture;
  #players = h("p", { class: "players" });
  #facts = h("p", { class: "facts" });
  #link;
  #watch;
  #visible = false;

  constructor(room) {
    this.#picture = new Picture(room.rules);
    this.#link = h("a", { href: roomPage(room.name), class: "button" });
    this.element = h(
      "li",
      { class: "card" },
      this.#picture.element,
      h("div", {}, h("h3", {}, room.name), this.#players, this.#facts, this.#link),
    );
    // Boards are asked for where somebody sees them: a lobby of thousands costs no more than a screen.
    this.#watch = new IntersectionObserver(([entry]) => {
      this.#visible = entry.isIntersecting;
      if (this.#visible) boards.want(this);
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
    write(this.#facts, facts.filter(Boolean).join(" · "));
    const verb = status === "waiting" ? "Join" : "Watch";
    write(this.#link, verb);
    this.#link.setAttribute("aria-label", `${verb} ${room.name}`);
    const isNew = before?.ply !== ply || before?.status !== status;
    if (isNew && this.#visible) boards.want(this);
  }

  close() {
    this.#watch.disconnect();
    this.#visible = false;
  }

  /** Asks for the board, and draws it. */
  async draw() {
    if (!this.#visible || this.#room.locked || this.#room.ply === 0) return this.#picture.draw(null);
    const state = await fetched(`rooms/${this.#room.name}`);
    return state && this.#picture.draw(state.game);
  }
}

/** Boards to ask for, one at a time, so that a busy lobby is no flood. */
const boards = {
  waiting: new Set(),
  busy: false,
  async want(card) {
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
