// The way into an event, and out of it: a form, a button, or why there is none.

import { t } from "../../model/language.js";
import { confirmed } from "../confirmed.js";
import { h } from "../dom.js";
import { NameField } from "../name_field.js";

export class EventEntry {
  #place;
  #acts;
  #shown = null;
  #nameField = null;

  /** `acts` has `enter(name)`, `withdraw()`, `comeBack()` after a withdrawal and `ask()` after a removal. */
  constructor(place, acts) {
    this.#place = place;
    this.#acts = acts;
  }

  /** Show what `entryOf` names; what is shown already stays, with the focus, a question and what was typed. */
  show(kind, name) {
    const shown = `${kind} ${name}`;
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#place.replaceChildren(...this.#parts(kind, name));
  }

  /** Show something else in its place. */
  replace(element) {
    this.#shown = null;
    this.#place.replaceChildren(element);
  }

  #parts(kind, name) {
    switch (kind) {
      case "playing":
        return [this.#you(name), confirmed(t("tournament.withdraw"), t("tournament.withdraw_sure"), this.#acts.withdraw)];
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
