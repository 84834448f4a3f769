// Why an AI played as it did: its reasons of this game, in sentences.

import { t, optionalText } from "../../model/language.js";
import { lessonOf } from "../../model/lessons.js";
import { moveWords, thoughtWords } from "../../model/words.js";
import { learnPage } from "../../net/address.js";
import { h } from "../dom.js";
import { addPart } from "../page.js";

/** The element that tells the reasons, with its texts loaded. */
export async function makeWhy() {
  await addPart("why");
  return new Why();
}

class Why {
  #list = h("div", { role: "log", "aria-label": t("why.label") });
  #links = h("p", {});
  #shown = "";

  constructor() {
    this.element = h("div", { class: "why", tabindex: "0" }, this.#list, this.#links);
  }

  /** Show the reasons in the game that began last among these events. */
  show(events, { thinkers, rules }) {
    const isAi = (mark) => thinkers.some((each) => each.mark === mark);
    const told = standing(events).filter(({ seat, reason }) => isAi(seat) && reason);
    const key = JSON.stringify([told.map(({ seq }) => seq), thinkers]);
    if (key === this.#shown) return;
    this.#shown = key;
    const rows = told.map((event) => h("p", {}, h("b", {}, moveWords(event, rules)), ": ", h("bdi", {}, sentence(event.reason))));
    this.#list.replaceChildren(...(rows.length ? rows : [h("p", {}, t("why.none"))]));
    const lessons = [...new Set(thinkers.map(({ name }) => lessonOf(name)))];
    this.#links.replaceChildren(...lessons.flatMap((lesson) => [h("a", { href: learnPage(lesson) }, t(`why.lesson.${lesson}`)), " "]));
    this.element.scrollTop = this.element.scrollHeight;
  }
}

/** The moves that stand on the board. Those before a welcome come late. */
function standing(events) {
  let moves = [];
  for (const event of [...events].sort((a, b) => a.seq - b.seq)) {
    if (event.type === "started") moves = [];
    if (event.type === "taken_back") moves = moves.filter(({ ply }) => ply < event.ply);
    if (event.type === "played") moves.push(event);
  }
  return moves;
}

/** A reason in a sentence; of a strategy that is not ours, its own words. */
function sentence(reason) {
  const known = optionalText(`why.${reason}`);
  if (known) return known;
  const depth = /^depth (\d+)(?:, ([+-]?[01]))?$/.exec(reason);
  if (depth) {
    const expects = depth[2] === undefined ? "" : ` ${t(`why.expects.${Number(depth[2])}`)}`;
    return t("why.sees", { count: Number(depth[1]) }) + expects;
  }
  const balance = /^wins minus losses: ([+-]?\d+)$/.exec(reason);
  if (!balance) return thoughtWords(reason);
  const count = Number(balance[1]);
  return t(count < 0 ? "why.balance.less" : "why.balance.more", { count: Math.abs(count) });
}
