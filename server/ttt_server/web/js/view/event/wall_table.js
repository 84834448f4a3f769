// The names on a wall: everyone with points, in columns, on pages that turn; and the podium.

import { t } from "../../model/language.js";
import { pointsOf, pointWords, shownName } from "../../model/event_words.js";
import { glyph } from "../seats.js";
import { h, setChildren, setText } from "../dom.js";

const ROWS = 20;
const PAGE = 2 * ROWS; // people, in two columns
const TURN_MS = 8_000;
const MOST_ON_STEP = 4; // names

export class WallTable {
  #list = h("ol", { class: "names" });
  #more = h("p", { class: "facts" });
  element = h("div", { class: "names-place" }, this.#list, this.#more);
  #rows = [];
  #before = new Map(); // ranks as the round began
  #round = null;
  #missing = 0;
  #page = 0;
  #status = "";
  #rules = null;

  constructor() {
    setInterval(() => {
      this.#page += 1;
      this.#draw();
    }, TURN_MS);
  }

  show({ players, settings, standings, round, status }) {
    this.#rules = settings.rules;
    this.#missing = players - standings.length;
    if (round !== this.#round) {
      this.#before = new Map(this.#round ? this.#rows.map(({ id, rank }) => [id, rank]) : []); // none before the first
      this.#round = round;
    }
    this.#rows = standings;
    this.#status = status;
    this.#draw();
  }

  #draw() {
    const pages = Math.max(1, Math.ceil(this.#rows.length / PAGE));
    const size = Math.ceil(this.#rows.length / pages);
    this.#page %= pages;
    const shown = this.#rows.slice(this.#page * size, (this.#page + 1) * size);
    const columns = Math.max(1, Math.ceil(size / ROWS));
    this.#list.classList.toggle("open", this.#status === "created");
    this.#list.style.setProperty("--columns", columns);
    this.#list.style.setProperty("--rows", Math.ceil(size / columns));
    setChildren(this.#list, shown.map((row) => this.#line(row)));
    const words = pages > 1 ? [`${this.#page + 1} / ${pages}`] : [];
    if (this.#missing > 0) words.push(t("tournament.more", { count: this.#missing }));
    setText(this.#more, words.join(" · "));
  }

  #line(row) {
    const isOpen = this.#status === "created";
    const away = row.status !== "active" || (!row.present && this.#status === "running");
    const moved = (this.#before.get(row.id) ?? row.rank) - row.rank;
    return h(
      "li",
      { class: away ? "away" : null },
      h("span", { class: "rank" }, isOpen ? "" : row.rank),
      h("bdi", {}, shownName(row, this.#rules)),
      moved && !isOpen ? h("span", { class: moved > 0 ? "up" : "down" }, `${moved > 0 ? "▲" : "▼"}${Math.abs(moved)}`) : h("span"),
      h("b", {}, isOpen ? "" : pointWords(row.points)),
    );
  }
}

/** The first three places, the second on the left and the third on the right of the first; equals share a step. */
export function podium({ settings, standings }) {
  const step = (place) => {
    const rows = standings.filter(({ rank }) => rank === place);
    if (!rows.length) return [];
    const names = rows.slice(0, MOST_ON_STEP).map((row) => h("bdi", {}, shownName(row, settings.rules)));
    const more = rows.length - names.length;
    return h(
      "li",
      { class: `step place-${place}` },
      glyph(place % 2 ? "X" : "O"),
      ...names,
      more ? h("small", {}, t("tournament.more", { count: more })) : null,
      h("b", {}, pointsOf(rows[0])),
      h("span", { class: "place" }, place),
    );
  };
  return h("ol", { class: "podium", "aria-label": t("tournament.podium") }, ...[2, 1, 3].flatMap(step));
}
