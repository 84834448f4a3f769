// The quick ways into a game: against the computer, or with a friend; the rest is folded away.

import { t } from "../../model/language.js";
import { BOARDS, strengthsOn } from "../../model/strength.js";
import { nameOf, refusalWords, rulesWords } from "../../model/words.js";
import { strategies } from "../../net/address.js";
import { freshRoomName, ownName } from "../chance.js";
import { h } from "../dom.js";
import { NameField } from "../name_field.js";
import { PlayNow } from "./play_now.js";
import { OpeningPicker, RoomForm } from "../room_form.js";

/** The refusals by which a room has the name already. */
const EXISTS = new Set(["wrong_password", "room_full", "seat_taken", "spectators_off", "settings_conflict"]);

export class FrontDoor {
  #create;
  #name = new NameField();
  #board = h("select", { onchange: () => this.#showStrengths() });
  #known = [];
  #strengths = h("div", { class: "strengths" });
  #trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  #form;
  #isByForm = false;
  #opening = new OpeningPicker();
  #second = new NameField({ isSecond: true });

  /**
   * `create({room, joinFields, isForTwo})` makes a room; the fields are those of a `join`. `paired(room)`
   * is called once a seat is held there.
   */
  constructor(create, paired) {
    this.#create = create;
    this.#form = new RoomForm(null, (wanted) => {
      this.#isByForm = true;
      create(wanted);
    });
    this.#board.append(...BOARDS.map((rules, index) => h("option", { value: index }, rulesWords(rules))));
    const button = (words, onclick, kind = "") => h("button", { type: "button", class: kind, onclick }, words);
    const friend = button(t("door.friend_go"), () => this.#enter({}), "main");
    const start = button(t("door.two_go"), () => this.#second.keep() && this.#enter({ public: false }, true), "main");
    const secondRow = h("div", { class: "row second", hidden: true }, this.#second.element, start);
    const two = button(t("door.two"), () => {
      secondRow.hidden = false;
      this.#second.focus();
    });
    const wanted = () => {
      this.#isByForm = false;
      return this.#name.keep() ? this.#wanted : null;
    };
    const now = new PlayNow(wanted, { paired, refused: (refusal) => this.refuse(refusal) });
    const row = h(
      "div",
      { class: "row" },
      h("label", { class: "field" }, h("span", {}, t("door.board")), this.#board),
      this.#opening.element,
      this.#name.element,
    );
    for (const choice of [this.#board, this.#opening.element])
      choice.addEventListener("change", () => this.#form.follow(this.#board.value, this.#opening.value));
    this.element = h(
      "div",
      { class: "door" },
      h("h2", {}, t("door.computer")),
      this.#strengths,
      h("h2", {}, t("door.friend")),
      h("div", { class: "buttons" }, friend, two),
      secondRow,
      h("h2", {}, t("now")),
      now.element,
      row,
      this.#trouble,
      h("details", {}, h("summary", {}, t("door.more")), this.#form.element),
    );
    this.#showStrengths();
    strategies().then((known) => {
      this.#known = known;
      const offered = Object.keys(strengthsOn(this.#rules, known));
      if (offered.length !== this.#strengths.children.length) this.#showStrengths(); // else the focus would be lost
    });
  }

  /** Show why no room was made, where it was asked for. */
  refuse(refusal, room = null) {
    if (this.#isByForm) return this.#form.refuse(refusalWords(refusal), EXISTS.has(refusal.code) ? room : null);
    this.#trouble.textContent = refusalWords(refusal);
    this.#trouble.hidden = false;
  }

  get #rules() {
    return BOARDS[this.#board.value];
  }

  /** The fields of settings, and of a `seek`, that are chosen here. */
  get #wanted() {
    return { rules: this.#rules, ...this.#opening.wanted };
  }

  #showStrengths() {
    this.#opening.setRules(this.#rules);
    const strengths = Object.entries(strengthsOn(this.#rules, this.#known));
    this.#strengths.replaceChildren(
      ...strengths.map(([strength, ai]) => {
        const press = () => this.#enter({ seats: { X: "human", O: ai }, hints: true });
        const level = ai.level ?? null;
        const own = nameOf({ kind: "ai", name: ai.strategy, level });
        return h("button", { type: "button", onclick: press }, t(`strength.${strength}`), h("small", {}, own));
      }),
    );
  }

  #enter(settings, isForTwo = false) {
    this.#trouble.hidden = true;
    this.#isByForm = false;
    if (!this.#name.keep()) return;
    const joinFields = { role: "player", name: ownName(), settings: { ...this.#wanted, ...settings } };
    this.#create({ room: freshRoomName(), joinFields, isForTwo });
  }
}
