// The ladder of programs: ratings with their intervals, read again each minute.

import { t } from "../model/language.js";
import { boardOf } from "../model/boards.js";
import { rulesWords } from "../model/words.js";
import { fetchJson } from "../net/address.js";
import { byId, h, setText } from "../view/dom.js";
import { intervalPlot, ratingWords, scaleOf } from "../view/ladder/rating_plot.js";
import { loadTexts } from "../view/page.js";

const EVERY_MS = 60_000;
/** The columns that are there at the size of a phone, too. */
const NARROW = ["name", "elo", "games"];

await loadTexts("ladder");
document.title = `${t("ladder.title")} · ${t("app")}`;
await show();
setInterval(show, EVERY_MS);

async function show() {
  const ladder = await fetchJson("ladder");
  setText(byId("note"), ladder?.standings.length ? wordsOf(ladder.rules) : t("ladder.none"));
  byId("standings").replaceChildren(...(ladder?.standings.length ? [tableOf(ladder.standings)] : []));
}

/** A board such as `7x6x4g` in words; a name that a newer server gives stays as it is. */
function wordsOf(name) {
  const rules = boardOf(name);
  return rules ? rulesWords(rules) : name;
}

function tableOf(standings) {
  const scale = scaleOf(standings);
  const head = ["name", "elo", "interval", "games", "won", "drawn", "lost", "forfeits"];
  return h(
    "table",
    { class: "standings" },
    h("caption", { class: "unseen" }, t("ladder.title")),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "#"), ...head.map(columnHead))),
    h("tbody", {}, ...standings.map((standing, place) => rowOf(standing, place + 1, scale))),
  );
}

function columnHead(key) {
  return h("th", { scope: "col", class: NARROW.includes(key) ? null : "wide" }, t(`ladder.${key}`));
}

function rowOf(standing, rank, scale) {
  const { name, elo, error, wins, draws, losses, forfeits } = standing;
  const words = t("ladder.plot", { name, elo: Math.round(elo), error: Math.round(error) });
  return h(
    "tr",
    {},
    h("td", {}, rank),
    h("th", { scope: "row" }, h("bdi", {}, name)),
    h("td", { class: "points" }, ratingWords(standing)),
    h("td", { class: "wide" }, intervalPlot(standing, scale, words)),
    h("td", {}, wins + draws + losses),
    ...[wins, draws, losses, forfeits].map((count) => h("td", { class: "wide" }, count)),
  );
}
