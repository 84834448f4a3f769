// The state of the connection, over the page wherever it is scrolled; and short remarks in the same place.

import { t } from "../model/language.js";
import { goodbyeWords } from "../model/words.js";
import { h, setText } from "./dom.js";

const REMARK_MS = 6_000;
const [NARROW_PX, GAP_PX] = [240, 8];

export class ConnectionNotice {
  #words = h("span", {});
  #countdown = h("span", { class: "countdown", "aria-hidden": "true" });
  #button = h("button", { type: "button" });
  #line;
  #remark = h("div", { class: "notice remark", role: "alert", hidden: true });
  #retryAt = 0;
  #timer = 0;
  #isOfBoard = false;

  /** `again()` connects now. */
  constructor(again) {
    this.#button.textContent = t("line.retry");
    this.#button.addEventListener("click", again);
    // A screen reader would read a countdown out every second: it is hidden from it.
    this.#line = h("div", { class: "notice", hidden: true }, this.#alert(), this.#countdown, this.#button);
    this.element = h("div", { class: "notices" }, this.#line, this.#remark);
  }

  get isShown() {
    return !this.#line.hidden;
  }

  update({ state, retryAt, goodbye, isSilent }) {
    const isDown = state === "lost" || state === "ended"; // for good, but for a press
    this.#line.hidden = !isDown && !(state === "connecting" && this.isShown);
    if (state === "connecting") this.#retryAt = 0;
    if (isDown) {
      const why = goodbyeWords(goodbye);
      const lost = why ? t("line.lost_why", { why }) : t("line.lost");
      setText(this.#words, isSilent ? `${t("line.silent")} ${lost}` : lost);
      this.#retryAt = retryAt;
    }
    this.tick(performance.now());
  }

  /** Stand where the board and its players are not: at the bottom, beside them, or at the top. */
  #keepClear() {
    const board = document.querySelector(".table, .board-place")?.getBoundingClientRect();
    if (!board?.height) return;
    const { offsetHeight, style } = this.element;
    const height = offsetHeight + GAP_PX;
    const [above, below, beside] = [board.top, innerHeight - board.bottom, innerWidth - board.right];
    const isBeside = below < height && beside > NARROW_PX;
    style.insetInlineStart = isBeside ? `${board.right + GAP_PX}px` : "";
    this.element.classList.toggle("at-top", !isBeside && below < height && above > below);
  }

  /** Show the seconds until the next attempt. */
  tick(now) {
    if (this.isShown || !this.#remark.hidden) this.#keepClear();
    if (!this.isShown) return;
    const seconds = Math.max(0, Math.ceil((this.#retryAt - now) / 1000));
    setText(this.#countdown, this.#retryAt ? t("line.in", { seconds }) : this.#retryAt === 0 ? t("line.again") : "");
  }

  /** Show a few words for a few seconds; `isOfBoard`: they are true of the board as it is now. */
  say(text, isOfBoard = false) {
    this.#isOfBoard = isOfBoard;
    this.#remark.textContent = text;
    this.#remark.hidden = false;
    this.#keepClear();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.#remark.hidden = true), REMARK_MS);
  }

  /** Take away words about the board, which has changed. */
  boardChanged() {
    if (this.#isOfBoard) this.#remark.hidden = true;
  }

  /** Say that the server is newer than this page, and offer to load it again. */
  offerReload() {
    this.#isOfBoard = false;
    clearTimeout(this.#timer);
    this.#remark.hidden = false;
    this.#remark.replaceChildren(
      t("line.newer"),
      " ",
      h("button", { type: "button", onclick: () => location.reload() }, t("line.reload")),
    );
  }

  #alert() {
    return h("span", { role: "alert" }, this.#words);
  }
}
