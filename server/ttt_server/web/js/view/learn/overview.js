// What there is to learn: seven lessons, a puzzle for today, puzzles for a class, and a board to explore.

import { t } from "../../model/language.js";
import { LESSONS } from "../../model/lessons.js";
import { TASKS } from "../../model/learn/tasks.js";
import { explorePage } from "../../net/address.js";
import { BoardSvg } from "../board_svg.js";
import { h } from "../dom.js";
import { doneIn, tick } from "./frame.js";

const RULES = { columns: 3, rows: 3, in_a_row: 3, gravity: false };
const ULTIMATE = { ...RULES, columns: 9, rows: 9, variant: "ultimate" };

/** A position for each card: what its idea is about. */
const PICTURES = {
  rules: "X..XO....",
  counts: "....X....",
  lines: ".X..O....",
  ahead: "XO..X...O",
  memory: "O.XXX.O.O",
  strength: "X.X.O.OXO",
  ultimate: "X.O.X....", // small boards
  daily: ".X.XO.O..",
  sets: "X.O.X..O.",
  explore: "XXO.O.X..",
};

const picture = (name) => {
  const isUltimate = name === "ultimate";
  const svg = new BoardSvg(isUltimate ? ULTIMATE : RULES);
  svg.draw(isUltimate ? { board: ".".repeat(81), boards: PICTURES[name] } : { board: PICTURES[name] });
  return svg.element;
};

/** The first page. */
export function overview() {
  return h(
    "div",
    { class: "learn-home" },
    h("h1", { tabindex: "-1" }, t("learn.title")),
    h("p", { class: "lead" }, t("learn.words")),
    h("ol", { class: "lesson-cards" }, ...LESSONS.map(lessonCard)),
    h("h2", {}, t("learn.puzzles")),
    h(
      "ul",
      { class: "lesson-cards" },
      card("daily", "#daily", t("learn.daily"), t("learn.daily_words")),
      card("sets", "#sets", t("learn.sets"), t("learn.sets_words")),
      card("explore", explorePage(""), t("learn.explore"), t("learn.explore_words")),
    ),
  );
}

function lessonCard(lesson, at) {
  const done = doneIn(lesson);
  const ticks = h("span", { class: "ticks" }, ...TASKS.map((task) => tick(done.includes(task))));
  return card(lesson, `#${lesson}`, `${at + 1}. ${t(`learn.name.${lesson}`)}`, t(`learn.about.${lesson}`), ticks);
}

function card(name, href, title, words, more = null) {
  return h(
    "li",
    {},
    h("a", { class: "card lesson-card", href }, picture(name), h("span", { class: "card-words" }, h("b", {}, title), h("span", {}, words), more)),
  );
}
