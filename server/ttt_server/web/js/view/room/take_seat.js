// "Take a seat" beside the name to sit down under; for a spectator of full seats, the name alone.

import { t } from "../../model/language.js";
import { h, setChildren } from "../dom.js";
import { NameField } from "../name_field.js";

export class TakeSeat {
  #renamed;
  #name = null;
  #buttons;
  #row = h("div", { class: "buttons" });

  /** `take(mark)` is called for a press, `renamed(name)` after a change of the name. */
  constructor(take, renamed) {
    this.#renamed = renamed;
    this.#buttons = ["X", "O"].map((mark) => {
      const press = () => this.#name.keep() && take(mark);
      return h("button", { type: "button", class: "main", onclick: press }, t("take", { mark }));
    });
    this.element = h("section", { class: "take-seat", "aria-label": t("take.title"), hidden: true });
  }

  /** Show the buttons of these seats, or nothing for null. */
  show(free) {
    this.element.hidden = free === null;
    if (free === null) return this.#empty();
    if (this.#name === null) {
      this.#name = new NameField({ renamed: this.#renamed });
      this.element.append(this.#name.element, this.#row);
    }
    setChildren(
      this.#row,
      this.#buttons.filter((_, index) => free.includes("XO"[index])),
    );
  }

  /** The name may be another when the field is needed again. */
  #empty() {
    this.#name = null;
    this.element.replaceChildren();
  }
}
