// The ladder: people and programs by their ratings with intervals, read again each minute.

import { t } from "../model/language.js";
import { boardOf } from "../model/boards.js";
import { rulesWords } from "../model/words.js";
import { fetchJson } from "../net/address.js";
import { personPage } from "../net/person.js";
import { byId, h, setText } from "../view/dom.js";
import { intervalPlot, ratingWords, scaleOf } from "../view/ladder/rating_plot.js";
import { loadTexts } from "../view/page.js";

const EVERY_MS = 60_000;
/** The columns that are there at the size of a phone, too. */
const NARROW = ["name", "elo", "games"];
const COUNTS = ["wins", "draws", "losses", "forfeits"];
const PACES = ["fast", "slow", "days"];
/** The rating of programs that are as strong as the average of them, and of people who begin. */
const MIDDLE = 1500;
/** Half of an interval that holds 95 % of what may be, in deviations. */
const WIDE = 1.96;

const board = h("select", { onchange: choose });
const pace = h("select", { onchange: choose });

await loadTexts("ladder");
document.title = `${t("ladder.title")} · ${t("app")}`;
pace.append(...PACES.map((each) => h("option", { value: each }, t(`ladder.pace.${each}`))));
byId("choice").append(labelled(t("ladder.board"), board), labelled(t("ladder.pace"), pace));
await show();
setInterval(show, EVERY_MS);

function choose() {
  const query = new URLSearchParams({ board: board.value, pace: pace.value });
  history.replaceState(null, "", `?${query}`);
  show();
}

async function show() {
  const ladder = await fetchJson(`ladder${location.search}`);
  const hasPeople = Boolean(ladder?.people);
  byId("choice").hidden = !hasPeople;
  if (hasPeople) {
    setText(byId("about"), t("ladder.about_people"));
    showChoice(ladder);
  }
  const rows = ladder ? rowsOf(ladder) : [];
  const none = hasPeople ? t("ladder.nobody") : t("ladder.none");
  setText(byId("note"), rows.length ? wordsOf(ladder.rules) : none);
  byId("standings").replaceChildren(...(rows.length ? [tableOf(rows, hasPeople)] : []));
}

/** Offer the boards on which somebody has a rating, and the one that is shown. */
function showChoice({ rules, pace: shown, ladders }) {
  const boards = [...new Set([...ladders.map((each) => each.board), rules])];
  if (boards.join() !== [...board.options].map((each) => each.value).join())
    board.replaceChildren(...boards.map((each) => h("option", { value: each }, wordsOf(each))));
  board.value = rules;
  pace.value = shown;
}

/** A board such as `7x6x4g` in words; a name that a newer server gives stays as it is. */
function wordsOf(name) {
  const rules = boardOf(name);
  return rules ? rulesWords(rules) : name;
}

/** People and programs, the strongest first, and those whose rating is provisional last. */
function rowsOf({ standings, people = [] }) {
  const programs = standings.map((each) => ({ ...each, rating: MIDDLE + each.elo, games: each.wins + each.draws + each.losses }));
  const persons = people.map((each) => ({ ...each, isPerson: true, elo: each.rating - MIDDLE, error: WIDE * each.deviation }));
  return [...programs, ...persons].sort(
    (one, other) => Number(one.provisional ?? false) - Number(other.provisional ?? false) || other.rating - one.rating,
  );
}

function tableOf(rows, hasPeople) {
  const scale = scaleOf(rows);
  const counts = rows.some(({ isPerson }) => !isPerson) ? ["won", "drawn", "lost", "forfeits"] : [];
  const head = ["name", "elo", "interval", "games", ...counts];
  return h(
    "table",
    { class: "standings" },
    h("caption", { class: "unseen" }, t("ladder.title")),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "#"), ...head.map(columnHead))),
    h("tbody", {}, ...rows.map((row, place) => rowOf(row, place + 1, scale, counts.length, hasPeople))),
  );
}

function columnHead(key) {
  return h("th", { scope: "col", class: NARROW.includes(key) ? null : "wide" }, t(`ladder.${key}`));
}

function rowOf(row, rank, scale, counts, hasPeople) {
  const { name, elo, rating, error, games, isPerson, provisional } = row;
  const shown = { name, elo: Math.round(hasPeople ? rating : elo), error: Math.round(error) };
  const points = hasPeople ? `${shown.elo}${provisional ? "?" : ""}` : ratingWords(row);
  const who = h("bdi", {}, name);
  return h(
    "tr",
    {},
    h("td", {}, rank),
    h(
      "th",
      { scope: "row" },
      isPerson ? h("a", { href: personPage(name) }, who) : who,
      hasPeople && !isPerson ? h("small", { class: "kind" }, ` ${t("ladder.program")}`) : null,
    ),
    h("td", { class: "points", title: provisional ? t("ladder.provisional") : null }, points),
    h("td", { class: "wide" }, intervalPlot(row, scale, t("ladder.plot", shown))),
    h("td", {}, games),
    ...COUNTS.slice(0, counts).map((count) => h("td", { class: "wide" }, row[count] ?? "–")),
  );
}

function labelled(words, input) {
  return h("label", { class: "field" }, h("span", {}, words), input);
}
