// The tables of an event: standings, games, the bracket.

import { t } from "../model/language.js";
import { roomPage } from "../net/address.js";
import { h } from "./dom.js";

const RESULTS = { X: "1 : 0", O: "0 : 1", draw: "½ : ½", neither: "0 : 0", void: "–" };

/** Points as players write them: 2.5 is `2½`. */
const points = (number) => `${Math.floor(number) || (number % 1 ? "" : 0)}${number % 1 ? "½" : ""}`;

/** The standings; `ownId` marks a player's own row. `more(row)` gives what follows in a row, or null. */
export function standingsTable({ form, standings, status }, { ownId = null, most = Infinity, more = () => null } = {}) {
  const hasTieBreaks = form === "swiss" || form === "round-robin";
  const head = [
    h("th", { scope: "col" }, "#"),
    h("th", { scope: "col" }, t("tournament.player")),
    h("th", { scope: "col" }, t("tournament.points")),
    h("th", { scope: "col", class: "wide" }, t("tournament.record")),
  ];
  if (hasTieBreaks)
    head.push(
      h("th", { scope: "col", class: "wide" }, h("abbr", { title: t("tournament.buchholz") }, t("tournament.bh"))),
      h("th", { scope: "col", class: "wide" }, h("abbr", { title: t("tournament.sonneborn") }, t("tournament.sb"))),
    );
  const hasRatings = standings.some(({ elo }) => elo !== undefined);
  if (hasRatings)
    head.push(h("th", { scope: "col" }, h("abbr", { title: t("tournament.rating_words") }, t("tournament.rating"))));
  const rows = standings.slice(0, most).map((row) => {
    const cells = [
      h("td", {}, row.rank),
      h("th", { scope: "row" }, nameOf(row, status)),
      h("td", { class: "points" }, points(row.points)),
      h("td", { class: "wide" }, `${row.wins}–${row.draws}–${row.losses}${row.byes ? ` +${row.byes}` : ""}`),
    ];
    if (hasTieBreaks)
      cells.push(
        h("td", { class: "wide" }, points(row.buchholz)),
        h("td", { class: "wide" }, String(row.sonneborn_berger)),
      );
    if (hasRatings) cells.push(h("td", { class: "rating" }, ratingOf(row)));
    const classes = [row.id === ownId ? "own" : "", row.status === "active" ? "" : "gone"];
    return h("tr", { class: classes.join(" ").trim() || null }, ...cells, more(row));
  });
  return h(
    "table",
    { class: "standings" },
    h("caption", { class: "unseen" }, t("tournament.standings")),
    h("thead", {}, h("tr", {}, ...head)),
    h("tbody", {}, ...rows),
  );
}

/** A rating within the event with its 95 % interval: `+52 ±120`. */
function ratingOf({ elo, elo_error: error }) {
  if (elo === undefined) return "–";
  const rounded = Math.round(elo);
  return `${rounded < 0 ? "−" : "+"}${Math.abs(rounded)} ±${Math.round(error)}`;
}

function nameOf(row, status) {
  const notes = [];
  if (row.kind !== "human") notes.push(t(`tournament.kind.${row.kind}`));
  if (row.status === "withdrawn") notes.push(t("tournament.withdrawn"));
  else if (!row.present && status !== "finished") notes.push(t("tournament.away"));
  if (row.streak > 1) notes.push(t("tournament.streak", { count: row.streak }));
  return h(
    "span",
    {},
    h("bdi", {}, row.name),
    notes.length ? h("small", {}, ` ${notes.join(", ")}`) : null,
  );
}

/** The games, each with the way to its room. `more(game)` gives what follows in a line, or null. */
export function gameList(games, more = () => null) {
  const lines = games.map((game) => {
    const words = game.result ? RESULTS[game.result] : t("tournament.running");
    const mark = game.corrected ? ` ${t("tournament.corrected")}` : "";
    const armageddon = game.armageddon ? h("small", {}, t("tournament.armageddon")) : null;
    return h(
      "li",
      {},
      h("a", { href: roomPage(game.room) }, h("bdi", {}, game.X), " – ", h("bdi", {}, game.O)),
      ` ${words}${mark} `,
      armageddon,
      game.again ? h("small", {}, t("tournament.again")) : null,
      more(game),
    );
  });
  return h("ul", { class: "games" }, ...lines);
}

export function bracketOf(rounds) {
  const place = (name, tie) =>
    h("li", { class: tie.winner !== null && tie.winner === name ? "through" : null }, h("bdi", {}, name ?? "–"));
  const columns = rounds.map((ties, index) =>
    h(
      "li",
      {},
      h("h3", {}, t("tournament.round", { round: index + 1 })),
      ...ties.map((tie) => h("ul", { class: "tie" }, place(tie.first, tie), place(tie.second, tie))),
    ),
  );
  return h("ol", { class: "bracket" }, ...columns);
}
