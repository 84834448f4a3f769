// The form that makes an event.

import { t } from "../../model/language.js";
import { BOARDS } from "../../model/strength.js";
import { rulesWords } from "../../model/words.js";
import { h } from "../dom.js";
import { OpeningPicker } from "../room_form.js";

const FORMS = ["arena", "swiss", "round-robin", "knockout", "match", "simul"];

const LONGEST_TITLE = 24;

const ROUNDS = ["swiss", "round-robin", "knockout", "match"];

/** Fields that only some forms have. */
const FIELDS = { minutes: ["arena"], rounds: ["swiss"], games: ["round-robin", "knockout", "match"] };

export class EventForm {
  #title = h("input", { maxlength: LONGEST_TITLE, autocomplete: "off" });
  #form = h("select", { onchange: () => this.#choose() }, ...FORMS.map((form) => h("option", { value: form }, t(`tournament.form.${form}`))));
  #about = h("small", {});
  #opening = new OpeningPicker();
  #board = h("select", { onchange: () => this.#opening.setRules(this.#rules) }, ...BOARDS.map((rules, index) => h("option", { value: index }, rulesWords(rules))));
  #numbers = {
    minutes: number(1, 1440, 20),
    rounds: number(1, 99, 5),
    games: number(1, 100, 1),
  };
  #clock = number(0, 60, 0, 0.5);
  #increment = number(0, 60, 2);
  #delay = number(0, 3600, 0);
  #manual = h("input", { type: "checkbox" });
  #manualRow = h("label", { class: "check" }, this.#manual, t("tournament.manual"));
  #rows = {};

  /** `create(title, settings)` is called when the form is sent; `title` is there already. */
  constructor(create, title = "") {
    this.#title.value = [...title].slice(0, LONGEST_TITLE).join("").trim();
    for (const name of Object.keys(FIELDS)) this.#rows[name] = labelled(t(`tournament.${name}`), this.#numbers[name]);
    this.element = h(
      "form",
      {
        class: "room-form",
        onsubmit: (event) => {
          event.preventDefault();
          create(this.#title.value.trim(), this.#settings);
        },
      },
      labelled(t("tournament.title"), this.#title),
      labelled(t("tournament.form"), this.#form),
      this.#about,
      ...Object.values(this.#rows),
      this.#manualRow,
      labelled(t("form.board"), this.#board),
      this.#opening.element,
      h(
        "div",
        { class: "row second" },
        labelled(t("tournament.clock_minutes"), this.#clock),
        labelled(t("form.increment"), this.#increment),
      ),
      h("small", {}, t("tournament.no_clock")),
      labelled(t("form.delay"), this.#delay),
      h("button", { type: "submit", class: "main" }, t("tournament.create")),
    );
    this.#opening.setRules(this.#rules);
    this.#show();
  }

  get #rules() {
    return BOARDS[this.#board.value];
  }

  #choose() {
    this.#manual.checked = this.#form.value === "swiss";
    this.#show();
  }

  #show() {
    this.#manualRow.hidden = !ROUNDS.includes(this.#form.value);
    this.#about.textContent = t(`tournament.about.${this.#form.value}`);
    for (const [name, forms] of Object.entries(FIELDS)) {
      const isUsed = forms.includes(this.#form.value);
      this.#rows[name].hidden = !isUsed;
      this.#numbers[name].disabled = !isUsed; // a hidden invalid input would block the form
    }
  }

  get #settings() {
    const settings = { form: this.#form.value, rules: this.#rules, ...this.#opening.wanted };
    for (const [name, input] of Object.entries(this.#numbers))
      if (!input.disabled) settings[name] = input.valueAsNumber;
    const minutes = this.#clock.valueAsNumber;
    if (minutes) settings.clock = { initial_s: minutes * 60, increment_s: this.#increment.valueAsNumber };
    if (this.#manual.checked && !this.#manualRow.hidden) settings.manual = true;
    if (this.#delay.valueAsNumber) settings.delay_s = this.#delay.valueAsNumber;
    return settings;
  }
}

const number = (min, max, value, step = 1) => h("input", { type: "number", min, max, value, step, required: true });

const labelled = (words, input) => h("label", { class: "field" }, h("span", {}, words), input);
