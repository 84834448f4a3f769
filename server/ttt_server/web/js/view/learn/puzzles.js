// Pages of puzzles: that of the day, a set behind a link, and the form that makes such a link.

import { currentLanguage, t } from "../../model/language.js";
import { boardOf } from "../../model/boards.js";
import { rulesWords } from "../../model/words.js";
import { fetchAnswer, learnPage } from "../../net/address.js";
import { recallChoice, rememberChoice } from "../../net/token_store.js";
import { freshRoomName } from "../chance.js";
import { h, setText } from "../dom.js";
import { Share } from "../share.js";
import { tick } from "./frame.js";
import { Puzzle } from "./puzzle.js";

const TRIES = 4;
const PAUSE_MS = 700;
const DAY_MS = 86_400_000;
const KINDS = { "3x3x3": ["win_in_two", "only_move", "who_wins"], "7x6x4g": ["win_in_two", "only_move", "who_wins"], "5x5x4": ["win_in_two"], ultimate: ["win_in_two"] };
const SIZES = [3, 4, 5, 6, 8, 10];

/** Ask for puzzles; a server that is busy is asked again. Null for what there is not. */
async function ask(path) {
  for (let tries = 0; tries < TRIES; tries++) {
    const { status, body } = await fetchAnswer(path);
    if (body || status === 400) return body;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return null;
}

const page = (title, words, ...parts) =>
  h(
    "article",
    { class: "puzzles" },
    h("header", { class: "lesson-head" }, h("a", { href: "#" }, t("learn.home")), h("h1", { tabindex: "-1" }, title), h("p", {}, words)),
    ...parts,
  );

/** The puzzle of the day, and for how many days in a row this browser has solved it. */
export async function daily() {
  const found = await ask("puzzles/daily");
  if (!found) return page(t("learn.daily"), t("learn.puzzle.none"));
  const day = new Date(`${found.date}T00:00Z`);
  const date = day.toLocaleDateString(currentLanguage(), { dateStyle: "full", timeZone: "UTC" });
  const streak = h("p", { class: "told", role: "status" });
  const [last, count] = (recallChoice("learn daily") ?? " 0").split(" ");
  const yesterday = new Date(day - DAY_MS).toISOString().slice(0, 10);
  const showStreak = (days) => setText(streak, t("learn.puzzle.streak", { count: days }));
  const isSolved = last === found.date;
  const puzzle = new Puzzle(found.puzzle, isSolved, () => {
    const days = last === yesterday ? Number(count) + 1 : 1;
    rememberChoice("learn daily", `${found.date} ${days}`);
    showStreak(days);
  });
  if (isSolved) showStreak(Number(count));
  return page(t("learn.daily"), `${date}. ${t("learn.daily_words")}`, puzzle.element, streak);
}

/** The set that an address names; which of them are solved, only this browser knows. */
export async function puzzleSet(query) {
  const found = await ask(`puzzles?${query}`);
  if (!found) return page(t("learn.set"), t("learn.set.none"));
  const { puzzles } = found;
  const key = `learn ${query}`;
  const solved = new Set((recallChoice(key) ?? "").split(",").filter(Boolean).map(Number));
  const place = h("div", {});
  const list = h("ol", { class: "set-list" });
  const told = h("p", { class: "told", role: "status" });
  const next = h("button", { type: "button", class: "main", onclick: () => show(puzzles.findIndex((_, index) => !solved.has(index))) }, t("learn.set.next"));

  function show(at) {
    place.replaceChildren(new Puzzle(puzzles[at], solved.has(at), () => (solved.add(at), keep(at))).element);
    mark(at);
  }
  function keep(at) {
    rememberChoice(key, [...solved].join(","));
    setText(told, solved.size === puzzles.length ? t("learn.set.all") : t("learn.set.solved", { count: solved.size, all: puzzles.length }));
    mark(at);
  }
  function mark(at) {
    const hadFocus = list.contains(document.activeElement);
    const rows = puzzles.map((_, index) =>
      h(
        "li",
        {},
        h(
          "button",
          { type: "button", class: "set-number", "aria-current": index === at ? "step" : null, onclick: () => show(index) },
          t("learn.set.number", { number: index + 1 }),
          " ",
          tick(solved.has(index)),
        ),
      ),
    );
    list.replaceChildren(...rows);
    if (hadFocus) rows[at].firstElementChild.focus();
    next.hidden = solved.size === puzzles.length;
  }
  show(Math.max(0, puzzles.findIndex((_, index) => !solved.has(index))));
  return page(t("learn.set.name", { name: found.set }), t("learn.set.words"), list, place, told, h("div", { class: "buttons" }, next));
}

/** The form that makes the link to a set. */
export function setForm() {
  const board = h("select", {}, ...Object.keys(KINDS).map((name) => h("option", { value: name }, rulesWords(boardOf(name)))));
  const size = h("select", {}, ...SIZES.map((count) => h("option", { value: count, selected: count === 6 }, String(count))));
  const name = h("input", { value: freshRoomName(), maxlength: "24", pattern: "[a-z0-9\\-]+", autocomplete: "off" });
  const kinds = KINDS["3x3x3"].map((kind) => h("input", { type: "checkbox", value: kind, checked: true }));
  const link = h("div", {});
  const show = () => {
    const able = KINDS[board.value];
    for (const box of kinds) box.disabled = !able.includes(box.value);
    const wanted = kinds.filter((box) => box.checked && !box.disabled).map((box) => box.value);
    const set = name.value.trim().toLowerCase();
    if (!/^[a-z0-9-]{1,24}$/.test(set) || !wanted.length) return link.replaceChildren(h("p", { class: "trouble" }, t("learn.sets.bad")));
    const query = `set=${set}&kinds=${wanted.join(",")}&rules=${board.value}&count=${size.value}`;
    link.replaceChildren(
      new Share(learnPage(query), { label: t("learn.sets.link"), title: t("learn.sets.hand_out") }).element,
      h("p", {}, h("a", { class: "button main", href: `#${query}` }, t("learn.sets.try"))),
    );
  };
  const field = (words, element) => h("label", { class: "field" }, h("span", {}, words), element);
  const form = h(
    "form",
    { class: "panel set-form", onsubmit: (event) => event.preventDefault(), onchange: show, oninput: show },
    field(t("learn.sets.board"), board),
    h(
      "fieldset",
      { class: "setup" },
      h("legend", {}, t("learn.sets.kinds")),
      ...kinds.map((box) => h("label", { class: "check" }, box, " ", t(`learn.kind.${box.value}`))),
    ),
    field(t("learn.sets.size"), size),
    field(t("learn.sets.name"), name),
  );
  show();
  return page(t("learn.sets"), t("learn.sets.words"), form, link);
}
