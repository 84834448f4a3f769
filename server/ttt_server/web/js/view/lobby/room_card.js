// A room in the lobby: its board, players, and the way in.

import { t } from "../../model/language.js";
import { aiNameOf, rulesWords } from "../../model/words.js";
import { fetchJson, roomPage, seatPage } from "../../net/address.js";
import { BoardSvg } from "../board_svg.js";
import { h, setText } from "../dom.js";

export class RoomCard {
  #room = null;
  #svg;
  #players = h("p", { class: "players" });
  #facts = h("p", { class: "facts" });
  #link = h("a", { class: "button" });
  #watch;
  #visible = false;
  #isMine;

  /** `isMine`: this browser has a seat. */
  constructor(room, isMine) {
    this.#isMine = isMine;
    this.#svg = new BoardSvg(room.rules);
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

  /** `isGone`: the room is kept in its place, but there is no way in. */
  show(room, { isGone }) {
    const before = this.#room;
    this.#room = room;
    const { seats, status, ply, spectators, locked, rules, deserted } = room;
    const nameIn = (name) => (name === null ? t("lobby.free") : room.ais ? aiNameOf(name, rules) : name);
    const player = (name) => h("bdi", {}, nameIn(name));
    this.#players.replaceChildren(player(seats.X), " – ", player(seats.O));
    const facts = [
      rulesWords(rules),
      status === "playing" ? t("lobby.move", { ply }) : t(`lobby.${status}`),
      locked ? t("lobby.locked") : null,
      spectators ? t("room.watching", { count: spectators }) : null,
      isGone ? t("lobby.gone") : deserted ? t("lobby.deserted") : null,
    ];
    setText(this.#facts, facts.filter(Boolean).join(" · "));
    const isJoin = status === "waiting" && !locked;
    const verb = t(this.#isMine ? "lobby.back" : isJoin ? "lobby.join" : "lobby.watch");
    setText(this.#link, verb);
    this.#link.href = isJoin && !this.#isMine ? seatPage(room.name) : roomPage(room.name);
    this.#link.setAttribute("aria-label", t("lobby.verb_room", { verb, room: room.name }));
    this.#link.hidden = isGone;
    this.element.classList.toggle("gone", isGone || deserted === true);
    const isNew = before?.ply !== ply || before?.status !== status;
    if (isNew && this.#visible) boards.request(this);
  }

  close() {
    this.#watch.disconnect();
    this.#visible = false;
  }

  /** Fetch the room, and draw its board. */
  async draw() {
    if (!this.#visible || this.#room.locked) return;
    const state = await fetchJson(`rooms/${this.#room.name}`);
    if (state) this.#svg.draw(state.game);
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
