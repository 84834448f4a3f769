// The frame of a lesson: its words, the place of its board and panel, and three tasks that are ticked off.

import { optionalText, t } from "../../model/language.js";
import { LESSONS } from "../../model/lessons.js";
import { neighbours, readDone, TASKS, tasksDoneBy } from "../../model/learn/tasks.js";
import { recallChoice, rememberChoice } from "../../net/token_store.js";
import { h, s, setText } from "../dom.js";
import { playSound } from "../page.js";

const choiceOf = (lesson) => `learn ${lesson}`;

/** The tasks of a lesson that are done, kept in this browser alone. */
export const doneIn = (lesson) => readDone(recallChoice(choiceOf(lesson)));

/** A tick in a ring for what is done, and the ring alone for what is open; said to a screen reader. */
export const tick = (isDone) =>
  h(
    "span",
    { class: isDone ? "tick done" : "tick" },
    s("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" }, isDone ? s("path", { d: "M2.6 5.2l1.7 1.7 3.2-3.8" }) : null),
    h("span", { class: "unseen" }, t(isDone ? "learn.done" : "learn.open")),
  );

export class Frame {
  #lesson;
  #tasks = h("ol", { class: "tasks" });
  #told = h("p", { class: "told", role: "status" });

  /** `board` and `panel` are elements. */
  constructor(lesson, board, panel) {
    this.#lesson = lesson;
    const number = LESSONS.indexOf(lesson) + 1;
    this.element = h(
      "article",
      { class: `lesson of-${lesson}` },
      h(
        "header",
        { class: "lesson-head" },
        h(
          "div",
          { class: "buttons" },
          h("p", { class: "pill" }, t("learn.lesson", { number, count: LESSONS.length, name: t(`learn.name.${lesson}`) })),
          h("a", { href: "#" }, t("learn.home")),
        ),
        h("h1", { tabindex: "-1" }, t(`learn.title.${lesson}`)),
        h("p", {}, t(`learn.idea.${lesson}`)),
      ),
      h("div", { class: "lesson-board" }, board),
      h("div", { class: "lesson-panel" }, panel),
      h(
        "section",
        { class: "panel lesson-tasks", "aria-label": t("learn.tasks") },
        h("h2", {}, t("learn.tasks")),
        this.#tasks,
        h("details", {}, h("summary", {}, t("learn.hint")), h("p", {}, t(`learn.hint.${lesson}`))),
        this.#told,
        h("h2", {}, optionalText(`learn.blind_name.${lesson}`) ?? t("learn.blind")),
        h("p", {}, t(`learn.blind.${lesson}`)),
        this.#ways(),
      ),
    );
    this.#show();
  }

  /** Tick off what this does; see `Happening`. */
  happened(happening) {
    const before = doneIn(this.#lesson);
    const fresh = tasksDoneBy(this.#lesson, happening).filter((task) => !before.includes(task));
    if (!fresh.length) return;
    rememberChoice(choiceOf(this.#lesson), [...before, ...fresh].join(""));
    this.#show();
    const count = doneIn(this.#lesson).length;
    const numbers = fresh.map((task) => task + 1).join(", ");
    setText(this.#told, count === TASKS.length ? t("learn.all_done") : t("learn.task_done", { count: fresh.length, numbers }));
    playSound("ended");
  }

  #show() {
    const done = doneIn(this.#lesson);
    const row = (task) => h("li", {}, tick(done.includes(task)), h("span", {}, t(`learn.task.${this.#lesson}.${task}`)));
    this.#tasks.replaceChildren(...TASKS.map(row));
  }

  #ways() {
    const { before, next } = neighbours(this.#lesson);
    const link = (to, words, kind) => h("a", { class: `button ${kind}`, href: `#${to}` }, words);
    return h(
      "div",
      { class: "buttons" },
      before ? link(before, t("learn.before", { name: t(`learn.name.${before}`) }), "quiet") : null,
      next
        ? link(next, t("learn.next", { name: t(`learn.name.${next}`) }), "main")
        : link("daily", t("learn.daily"), "main"),
    );
  }
}
