// Another name for a player of this screen, in the seat.

import { t } from "../../model/language.js";
import { h } from "../dom.js";
import { NameField } from "../name_field.js";

export class NameChange {
  #rename;
  #view = null;
  #mark = null;

  /** `rename(name, mark)` asks the server for it. */
  constructor(rename) {
    this.#rename = rename;
    this.element = h("form", { class: "name-change", "aria-label": t("name.change"), hidden: true });
    this.element.addEventListener("submit", (event) => event.preventDefault());
    this.element.addEventListener("keydown", ({ key }) => key === "Escape" && this.#close());
  }

  show(view) {
    this.#view = view;
    if (this.#mark !== null && !view.room.seats[this.#mark]) this.#close();
  }

  open(mark) {
    this.#mark = mark;
    const { partner, room } = this.#view;
    const field = new NameField({ isSecond: room.seats[mark].id === partner?.id });
    const save = () => {
      if (!field.keep()) return;
      this.#rename(field.value, mark);
      this.#close();
    };
    // The focus stays in the field: its words about a bad name would move the button away under the pointer.
    const stay = (event) => event.preventDefault();
    const cancel = h("button", { type: "button", onmousedown: stay, onclick: () => this.#close() }, t("name.cancel"));
    this.element.onsubmit = save;
    this.element.replaceChildren(field.element, h("button", { type: "submit", class: "main" }, t("name.save")), cancel);
    this.element.hidden = false;
    field.focus();
  }

  #close() {
    const hadFocus = this.element.contains(document.activeElement);
    this.element.hidden = true;
    this.element.replaceChildren();
    if (hadFocus) document.querySelector(`.seat.${this.#mark} .rename`)?.focus();
    this.#mark = null;
  }
}
