// The tables of an event: standings, games, the bracket.

import { namesIn, pointWords, shownName } from "../../model/event_words.js";
import { t } from "../../model/language.js";
import { wholeBracket } from "../../model/bracket.js";
import { roomPage } from "../../net/address.js";
import { h, setText } from "../dom.js";
import { become, Lines } from "./lines.js";

/** Results as players write them, of X first. */
export const RESULTS = { X: "1 : 0", O: "0 : 1", draw: "½ : ½", neither: "0 : 0", void: "–" };

const isOver = ({ status }) => status === "finished";

/** The standings. */
export class Standings {
  #head = h("tr");
  #body = h("tbody");
  #rows = new Lines("tr", this.#body);
  #more = h("p", { class: "facts" });
  #details = h("label", { class: "check" }, h("input", { type: "checkbox", onchange: () => this.element.classList.toggle("with-details") }), t("tournament.details"));
  element = h(
    "div",
    { class: "standings-place" },
    h(
      "table",
      { class: "standings" },
      h("caption", { class: "unseen" }, t("tournament.standings")),
      h("thead", {}, this.#head),
      this.#body,
    ),
    this.#more,
    this.#details,
  );

  /**
   * `ownId` marks a player's own row. `more(row)` gives what follows in a row, or null. `removed` are players
   * who have no rank any more: `{id, name, may_return}`, which `moreOfRemoved` gets.
   */
  show({ form, players, settings, standings, status }, { ownId = null, most = Infinity, more = () => null, removed = [], moreOfRemoved } = {}) {
    const has = {
      tieBreaks: form === "swiss" || form === "round-robin",
      ratings: standings.some(({ elo }) => elo !== undefined),
    };
    this.#details.hidden = !has.tieBreaks && !has.ratings;
    become(this.#head, headOf(has));
    const rows = standings.slice(0, most).map((row) => ({
      key: row.id,
      kind: [row.id === ownId ? "own" : "", row.status === "active" ? "" : "gone"].join(" ").trim(),
      parts: cellsOf(row, { status, rules: settings.rules }, has),
      version: row.status,
      more: () => more(row),
    }));
    const gone = removed.map((player) => ({
      key: player.id,
      kind: "gone",
      parts: cellsOfRemoved(player, has),
      version: `removed ${player.may_return}`,
      more: () => moreOfRemoved(player),
    }));
    this.#rows.show([...rows, ...gone]);
    setText(this.#more, moreWords(players, rows));
  }
}

function headOf(has) {
  const column = (words, kind = null) => h("th", { scope: "col", class: kind }, words);
  const abbr = (key, whole) => h("abbr", { title: t(whole) }, t(key));
  return [
    column("#"),
    column(t("tournament.player")),
    column(t("tournament.points")),
    column(t("tournament.record"), "wide"),
    ...(has.tieBreaks
      ? [
          column(abbr("tournament.bh", "tournament.buchholz"), "detail"),
          column(abbr("tournament.sb", "tournament.sonneborn"), "detail"),
        ]
      : []),
    ...(has.ratings ? [column(abbr("tournament.rating", "tournament.rating_words"), "detail")] : []),
  ];
}

function cellsOf(row, event, has) {
  const cell = (words, kind = null) => h("td", { class: kind }, words);
  return [
    cell(row.rank),
    h("th", { scope: "row" }, nameOf(row, event)),
    cell(pointWords(row.points), "points"),
    cell(`${row.wins}–${row.draws}–${row.losses}${row.byes ? ` +${row.byes}` : ""}`, "wide"),
    ...(has.tieBreaks ? [cell(pointWords(row.buchholz), "detail"), cell(String(row.sonneborn_berger), "detail")] : []),
    ...(has.ratings ? [cell(ratingOf(row), "rating detail")] : []),
  ];
}

function cellsOfRemoved({ name, may_return: mayReturn }, has) {
  const cell = (kind = null) => h("td", { class: kind }, "–");
  const notes = [t("tournament.gone"), ...(mayReturn ? [t("tournament.may_return")] : [])];
  return [
    cell(),
    h("th", { scope: "row" }, named(name, notes)),
    cell("points"),
    cell("wide"),
    ...(has.tieBreaks ? [cell("detail"), cell("detail")] : []),
    ...(has.ratings ? [cell("rating detail")] : []),
  ];
}

/** A rating within the event with its 95 % interval: `+52 ±120`. */
function ratingOf({ elo, elo_error: error }) {
  if (elo === undefined) return "–";
  const rounded = Math.round(elo);
  return `${rounded < 0 ? "−" : "+"}${Math.abs(rounded)} ±${Math.round(error)}`;
}

function nameOf(row, { status, rules }) {
  const notes = [];
  if (row.kind === "bot") notes.push(t("tournament.kind.bot"));
  if (row.status === "withdrawn") notes.push(t("tournament.withdrawn"));
  else if (!row.present && !isOver({ status })) notes.push(t("tournament.away"));
  if (row.left_out) notes.push(t("tournament.left_out"));
  if (row.streak > 1) notes.push(t("tournament.streak", { count: row.streak }));
  return named(shownName(row, rules), notes);
}

const named = (name, notes) =>
  h("span", {}, h("bdi", {}, name), notes.length ? h("small", {}, ` ${notes.join(", ")}`) : null);

/** How many players are not among those that are shown. */
const moreWords = (players, shown) =>
  players > shown.length ? t("tournament.more", { count: players - shown.length }) : "";

/** The games, each with the way to its room. */
export class GameList {
  element = h("ul", { class: "game-list" });
  #lines = new Lines("li", this.element);

  /** `more(game)` gives what follows in a line, or null. */
  show(event, more = () => null) {
    const names = namesIn(event);
    this.#lines.show(
      event.games.map((game) => ({
        key: game.number,
        parts: partsOf(game, isOver(event), names),
        version: `${game.result === null} ${isOver(event)} ${game.round === event.round}`,
        more: () => more(game),
      })),
    );
  }
}

function partsOf(game, isOver, names) {
  const words = game.result ? RESULTS[game.result] : t(isOver ? "tournament.broken_off" : "tournament.running");
  const mark = game.corrected ? ` ${t("tournament.corrected")}` : "";
  return [
    h("a", { href: roomPage(game.room) }, h("bdi", {}, names(game.X)), " – ", h("bdi", {}, names(game.O))),
    document.createTextNode(` ${words}${mark} `),
    game.armageddon ? h("small", {}, t("tournament.armageddon")) : null,
    game.again ? h("small", {}, t("tournament.again")) : null,
  ].filter(Boolean);
}

/** The bracket, with the rounds to come; without the rounds before `first`. */
export function bracketOf(begun, first = 0) {
  const rounds = wholeBracket(begun).slice(first);
  const place = (name, tie) =>
    h("li", { class: tie.winner !== null && tie.winner === name ? "through" : null }, h("bdi", {}, name ?? "–"));
  const columns = rounds.map((ties, index) =>
    h(
      "li",
      {},
      h("h3", {}, ties.length === 1 ? t("tournament.final") : t("tournament.round", { round: first + index + 1 })),
      ...ties.map((tie) => h("ul", { class: "tie" }, place(tie.first, tie), place(tie.second, tie))),
    ),
  );
  const bracket = h("ol", { class: "bracket" }, ...columns);
  bracket.style.setProperty("--rounds", rounds.length);
  bracket.style.setProperty("--ties", rounds[0].length);
  return bracket;
}
