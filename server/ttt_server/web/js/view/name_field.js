// The field for a player's name, with the stored or a generated one already in it.

import { isGoodName } from "../model/names.js";
import { t } from "../model/language.js";
import { freshPlayerName, keepName, ownName } from "./chance.js";
import { h } from "./dom.js";

export class NameField {
  #input;
  #trouble = h("small", { class: "trouble", role: "alert", hidden: true });
  #renamed;
  #isSecond;

  /** `renamed(name)` is called after a change to a good name; `isSecond`: of the second player at this screen. */
  constructor({ renamed = () => {}, isSecond = false } = {}) {
    this.#renamed = renamed;
    this.#isSecond = isSecond;
    // No `maxlength`: it would cut an emoji in two.
    this.#input = h("input", {
      autocomplete: isSecond ? "off" : "nickname",
      value: ownName(isSecond),
      oninput: () => this.#forgive(),
      onchange: () => this.#change(),
    });
    const another = h(
      "button",
      { type: "button", "aria-label": t("name.other_label"), onclick: () => this.#use(freshPlayerName()) },
      t("name.other"),
    );
    this.element = h(
      "div",
      { class: "name-field" },
      h("label", { class: "field" }, h("span", {}, t(isSecond ? "name.second" : "name")), this.#input),
      another,
      this.#trouble,
    );
  }

  get value() {
    return this.#input.value.trim();
  }

  focus() {
    this.#input.select();
  }

  /** Store the name; false, with words, if the server would refuse it. */
  keep() {
    const isGood = isGoodName(this.#input.value);
    this.#judge(isGood);
    if (isGood) keepName(this.#input.value, this.#isSecond);
    else this.#input.focus();
    return isGood;
  }

  #judge(isGood) {
    this.#trouble.textContent = isGood ? "" : t("name.bad");
    this.#trouble.hidden = isGood;
    this.#input.ariaInvalid = String(!isGood);
  }

  /** Take the words away as soon as the name is good: at a press elsewhere, what is pressed would move. */
  #forgive() {
    if (!this.#trouble.hidden && isGoodName(this.#input.value)) this.#judge(true);
  }

  #use(name) {
    this.#input.value = name;
    this.#change();
  }

  #change() {
    if (this.value === ownName(this.#isSecond)) return this.keep();
    if (this.keep()) this.#renamed(this.value);
  }
}
