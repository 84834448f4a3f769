// One's games: those that wait for a move, those that run, and those that are over, page by page.

import { boardOf } from "../../model/boards.js";
import { t } from "../../model/language.js";
import { opponentWords } from "../../model/own_games.js";
import { boardName } from "../../model/strength.js";
import { rulesWords } from "../../model/words.js";
import { lobbyPage } from "../../net/address.js";
import { ask } from "../../net/person.js";
import { BoardSvg } from "../board_svg.js";
import { h, setText } from "../dom.js";
import { gameCard, gameLine } from "../own_game_card.js";

const EVERY_MS = 10_000;
const LIMIT = 50;
const STATES = ["turn", "running", "finished"];
const SAMPLE = { columns: 3, rows: 3, in_a_row: 3, gravity: false };

export class OwnGames {
  #lists = Object.fromEntries(STATES.map((state) => [state, h("ul", { class: state === "finished" ? "game-lines" : "cards" })]));
  #sections = Object.fromEntries(STATES.map((state) => [state, this.#section(state)]));
  #empty = emptyWords();
  #none = h("p", { class: "none", hidden: true }, t("me.no_match"));
  #more = h("button", { type: "button", hidden: true, onclick: () => this.#readOn() }, t("me.more"));
  #board = h("select", { onchange: () => this.read() }, h("option", { value: "" }, t("me.any_board")));
  #opponent = h("input", { type: "search", autocomplete: "off", list: "opponents", onchange: () => this.read() });
  #opponents = h("datalist", { id: "opponents" });
  #filters = h(
    "form",
    { class: "filters row", role: "search", "aria-label": t("me.filter"), hidden: true, onsubmit: (event) => event.preventDefault() },
    h("label", { class: "field" }, h("span", {}, t("me.board")), this.#board),
    h("label", { class: "field" }, h("span", {}, t("me.opponent")), this.#opponent, this.#opponents),
  );
  #games = [];
  #rooms = new Set(); // of all games that were ever read
  #expected = 0;
  #isRead = false;
  #next = null;
  #reading = 0;
  #told;

  /** `told(count)` is called with the number of games that wait for a move, after each reading; null without an answer. */
  constructor(told) {
    this.#told = told;
    this.element = h("div", { class: "own-games" }, this.#empty, this.#filters, this.#none, ...STATES.map((state) => this.#sections[state]));
    this.#sections.finished.append(this.#more);
    setInterval(() => document.hidden || this.#refresh(), EVERY_MS);
  }

  /** Whether a game of this room is among those that were read. */
  has(room) {
    return this.#rooms.has(room);
  }

  /** Take note of how many games are agreed on and have not begun. */
  expect(count) {
    this.#expected = count;
    if (this.#isRead) this.#tell();
  }

  /** Read the first page anew. */
  async read() {
    const reading = ++this.#reading;
    const { status, body } = await ask("GET", this.#path());
    if (reading !== this.#reading) return;
    if (!body) return this.#told(null, status);
    this.#games = body.games;
    this.#next = body.next ?? null;
    this.#isRead = true;
    this.#show();
  }

  /** Read the first page again where nobody has gone further. */
  #refresh() {
    if (this.#games.length <= LIMIT && !this.element.contains(document.activeElement)) this.read();
  }

  async #readOn() {
    const reading = ++this.#reading;
    const { status, body } = await ask("GET", this.#path(this.#next));
    if (reading !== this.#reading) return;
    if (!body) return this.#told(null, status);
    const before = this.#lists.finished.children.length;
    this.#games.push(...body.games);
    this.#next = body.next ?? null;
    this.#show();
    this.#lists.finished.children[before]?.querySelector("a")?.focus();
  }

  #path(after = null) {
    const words = new URLSearchParams({ limit: LIMIT });
    if (this.#board.value) words.set("rules", this.#board.value);
    if (this.#opponent.value.trim()) words.set("opponent", this.#opponent.value.trim());
    if (after) words.set("after", after);
    return `me/games?${words}`;
  }

  #show() {
    const isFiltered = this.#isFiltered;
    for (const { room } of this.#games) this.#rooms.add(room);
    for (const state of STATES) {
      const games = this.#games.filter((game) => game.state === state);
      this.#lists[state].replaceChildren(...games.map((game) => (state === "finished" ? gameLine(game) : gameCard(game))));
      this.#sections[state].hidden = games.length === 0;
    }
    this.#more.hidden = this.#next === null;
    this.#none.hidden = !isFiltered || this.#games.length > 0;
    this.#filters.hidden = !isFiltered && this.#games.length < 2;
    this.#offer();
    this.#tell();
  }

  get #isFiltered() {
    return Boolean(this.#board.value || this.#opponent.value.trim());
  }

  #tell() {
    this.#empty.hidden = this.#isFiltered || this.#games.length + this.#expected > 0;
    this.#told(this.#games.filter(({ state }) => state === "turn").length + this.#expected, 200);
  }

  /** Offer the boards and opponents of the games that were read. */
  #offer() {
    const known = new Set([...this.#board.options].map(({ value }) => value));
    for (const { rules } of this.#games) {
      const name = boardName(rules);
      if (known.has(name)) continue;
      known.add(name);
      this.#board.append(h("option", { value: name }, rulesWords(boardOf(name) ?? rules)));
    }
    const names = new Set(this.#games.map((game) => game.opponent.name).filter(Boolean));
    this.#opponents.replaceChildren(...[...names].map((value) => h("option", { value, label: this.#labelOf(value) })));
  }

  #labelOf(name) {
    const game = this.#games.find(({ opponent }) => opponent.name === name);
    return opponentWords(game);
  }

  #section(state) {
    const title = h("h2", { id: `games-${state}` });
    setText(title, t(`me.games.${state}`));
    return h("section", { class: `games ${state}`, "aria-labelledby": title.id, hidden: true }, title, this.#lists[state]);
  }
}

/** What somebody sees who has not played yet. */
function emptyWords() {
  const svg = new BoardSvg(SAMPLE);
  svg.draw({ board: "X...O...." });
  return h(
    "section",
    { class: "panel empty", hidden: true },
    svg.element,
    h("div", {}, h("h2", {}, t("me.empty")), h("p", {}, t("me.empty_words")), h("a", { class: "button", href: lobbyPage() }, t("me.empty_go"))),
  );
}
