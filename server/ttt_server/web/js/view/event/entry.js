// The way into an event, and out of it: a form, a button, or why there is none.

import { pointsOf } from "../../model/event_words.js";
import { t } from "../../model/language.js";
import { isolated } from "../../model/words.js";
import { confirmed } from "../confirmed.js";
import { h, setText } from "../dom.js";
import { NameField } from "../name_field.js";

export class EventEntry {
  #place;
  #acts;
  #shown = null;
  #nameField = null;
  #rank = h("p", { class: "own-rank" });
  #words = h("p", {});
  #next = h("p", { "aria-live": "polite" });

  /** `acts` has `enter(name)`, `withdraw()`, `comeBack()` after a withdrawal and `ask()` after a removal. */
  constructor(place, acts) {
    this.#place = place;
    this.#acts = acts;
  }

  /**
   * Show what `entryOf` names; what is shown already stays, with the focus, a question and what was typed.
   * `row` is the player's in the standings, where it is known, and `status` the event's.
   */
  show(kind, name, row = null, status = "") {
    const shown = `${kind} ${name}`;
    if (shown !== this.#shown) this.#place.replaceChildren(...this.#parts(kind, name));
    this.#shown = shown;
    const hasRank = row !== null && status !== "created";
    setText(this.#rank, hasRank ? t("tournament.rank", { rank: row.rank }) : "");
    setText(this.#words, hasRank ? pointsOf(row) : t("tournament.look"));
  }

  /** Say whom the player meets next, and what the player waits for. */
  showNext(words) {
    setText(this.#next, words);
  }

  /** Show something else in its place. */
  replace(element) {
    this.#shown = null;
    this.#place.replaceChildren(element);
  }

  #parts(kind, name) {
    switch (kind) {
      case "playing":
        return [this.#isIn(name)];
      case "withdrawn":
        return [this.#you(name), button(t("tournament.return"), this.#acts.comeBack)];
      case "removed":
        return [h("p", {}, t("tournament.removed")), button(t("tournament.return"), this.#acts.ask)];
      case "out":
        return [h("p", {}, t("tournament.removed"))];
      case "closed":
        return [h("p", {}, t("tournament.closed"))];
      case "open":
        return [this.#form("panel")];
      case "organiser":
        return [h("details", { class: "panel" }, h("summary", {}, t("tournament.enter_too")), this.#form(null))];
      default:
        return [];
    }
  }

  #isIn(name) {
    const withdraw = confirmed(t("tournament.withdraw"), t("tournament.withdraw_sure"), this.#acts.withdraw);
    withdraw.classList.add("plain");
    return h("section", { class: "you-are-in" }, h("h2", {}, t("tournament.in", { name: isolated(name) })), this.#rank, this.#words, this.#next, withdraw);
  }

  #you(name) {
    return h("p", {}, t("tournament.you", { name }));
  }

  #form(kind) {
    this.#nameField ??= new NameField();
    const submit = (event) => {
      event.preventDefault();
      if (this.#nameField.keep()) this.#acts.enter(this.#nameField.value);
    };
    const enter = h("button", { type: "submit", class: "main" }, t("tournament.enter"));
    return h("form", { class: kind, onsubmit: submit }, this.#nameField.element, enter);
  }
}

const button = (words, press) => h("button", { type: "button", onclick: press }, words);
