// The form that makes an event: three questions, and the rest folded away.

import { t } from "../../model/language.js";
import { BoardTiles } from "../board_tiles.js";
import { h, setText } from "../dom.js";
import { OpeningPicker } from "../room_form.js";

const FORMS = ["arena", "swiss", "round-robin", "knockout", "match", "simul"];
const ROUNDS = ["swiss", "round-robin", "knockout", "match"];
const LONGEST_TITLE = 24;

/** Minutes that a game may take, both players together; 0 for no clock. */
const MINUTES = [1, 2, 4, 6, 10, 20, 0];
const USUAL = 4;

/** Fields that only some forms have. */
const FIELDS = { minutes: ["arena"], rounds: ["swiss"], games: ["round-robin", "knockout", "match"] };

export class EventForm {
  #tiles = new BoardTiles((rules) => this.#opening.setRules(rules));
  #form = "arena";
  #title = h("input", { maxlength: LONGEST_TITLE, autocomplete: "off" });
  #opening = new OpeningPicker();
  #numbers = {
    minutes: number(1, 1440, 20),
    rounds: number(1, 99, 5),
    games: number(1, 100, 1),
  };
  #clock = number(0, 60, USUAL / 2, 0.5);
  #increment = number(0, 60, 0);
  #delay = number(0, 3600, 0);
  #manual = h("input", { type: "checkbox", role: "switch" });
  #manualRow = h("label", { class: "check" }, this.#manual, t("tournament.manual"));
  #public = h("input", { type: "checkbox", role: "switch" });
  #summary = h("p", { class: "facts", "aria-live": "polite" });
  #rows = {};

  /** `create(title, settings)` is called when the form is sent; `from`: the settings of an earlier event, or null. */
  constructor(create, from = null) {
    for (const name of Object.keys(FIELDS)) this.#rows[name] = labelled(t(`tournament.${name}`), this.#numbers[name]);
    const minutes = MINUTES.map((count) =>
      chip("game-minutes", count, count === USUAL, count ? t("tournament.game_minutes", { count }) : t("form.no_clock"), () => (this.#clock.value = count / 2)),
    );
    this.element = h(
      "form",
      {
        class: "event-form",
        oninput: () => this.#show(),
        onsubmit: (event) => {
          event.preventDefault();
          create(this.#title.value.trim(), this.#settings);
        },
      },
      question("tournament.ask_board", this.#tiles.element),
      question("tournament.ask_form", h("div", { class: "cards forms" }, ...FORMS.map((form) => this.#formCard(form)))),
      question("tournament.ask_minutes", h("div", { class: "chips" }, ...minutes)),
      h(
        "details",
        {},
        h("summary", {}, t("tournament.more_tools")),
        h("div", { class: "room-form" },
        ...Object.values(this.#rows),
        this.#manualRow,
        h("label", { class: "check" }, this.#public, t("tournament.public")),
        labelled(t("tournament.title"), this.#title),
        h("div", { class: "row second" }, labelled(t("tournament.clock_minutes"), this.#clock), labelled(t("form.increment"), this.#increment)),
        this.#opening.element,
        labelled(t("form.delay"), this.#delay)),
      ),
      this.#summary,
      h("button", { type: "submit", class: "main" }, t("tournament.create")),
    );
    this.#opening.setRules(this.#tiles.rules);
    if (from) this.#follow(from);
    this.#show();
  }

  /** Take over the choices of an earlier event. */
  #follow({ form, rules, clock, opening, manual, public: isPublic, delay_s: delay, ...rest }) {
    this.#tiles.choose(rules);
    this.#opening.setRules(this.#tiles.rules);
    this.#opening.value = opening ?? "none";
    this.#choose(form);
    for (const name of Object.keys(FIELDS)) this.#numbers[name].value = rest[name] ?? this.#numbers[name].value;
    this.#manual.checked = Boolean(manual);
    this.#public.checked = Boolean(isPublic);
    this.#delay.value = delay ?? 0;
    this.#clock.value = clock ? clock.initial_s / 60 : 0;
    this.#increment.value = clock?.increment_s ?? 0;
  }

  #formCard(form) {
    const input = h("input", { type: "radio", name: "form", value: form, checked: form === this.#form, onchange: () => this.#choose(form) });
    const words = [h("b", {}, t(`tournament.meet.${form}`)), h("small", {}, t(`tournament.about.${form}`))];
    return h("label", { class: "tile-card" }, input, ...words, h("small", {}, t(`tournament.form.${form}`)));
  }

  #choose(form) {
    this.#form = form;
    const input = this.element.querySelector(`[name=form][value="${form}"]`);
    input.checked = true;
    this.#manual.checked = form === "swiss";
    this.#show();
  }

  #show() {
    this.#manualRow.hidden = !ROUNDS.includes(this.#form);
    for (const [name, forms] of Object.entries(FIELDS)) {
      const isUsed = forms.includes(this.#form);
      this.#rows[name].hidden = !isUsed;
      this.#numbers[name].disabled = !isUsed; // a hidden invalid input would block the form
    }
    const minutes = String(this.#clock.valueAsNumber * 2);
    for (const input of this.element.querySelectorAll("[name=game-minutes]")) input.checked = input.value === minutes && !this.#increment.valueAsNumber;
    setText(this.#summary, this.#words);
  }

  /** What the folded choices come to. */
  get #words() {
    const used = Object.keys(FIELDS).filter((name) => !this.#numbers[name].disabled);
    const words = used.map((name) => t(`tournament.sum.${name}`, { count: this.#numbers[name].valueAsNumber }));
    if (this.#isByHand) words.push(t("tournament.sum.manual"));
    return words.join(" ");
  }

  get #isByHand() {
    return this.#manual.checked && !this.#manualRow.hidden;
  }

  get #settings() {
    const settings = { form: this.#form, rules: this.#tiles.rules, ...this.#opening.wanted };
    for (const [name, input] of Object.entries(this.#numbers))
      if (!input.disabled) settings[name] = input.valueAsNumber;
    const minutes = this.#clock.valueAsNumber;
    if (minutes) settings.clock = { initial_s: minutes * 60, increment_s: this.#increment.valueAsNumber };
    if (this.#isByHand) settings.manual = true;
    if (this.#public.checked) settings.public = true;
    if (this.#delay.valueAsNumber) settings.delay_s = this.#delay.valueAsNumber;
    return settings;
  }
}

const question = (key, answers) => h("fieldset", { class: "question" }, h("legend", {}, t(key)), answers);

function chip(name, value, checked, words, chosen) {
  return h("label", { class: "chip" }, h("input", { type: "radio", name, value, checked, oninput: chosen }), h("span", {}, words));
}

const number = (min, max, value, step = 1) => h("input", { type: "number", min, max, value, step, required: true });

const labelled = (words, input) => h("label", { class: "field" }, h("span", {}, words), input);
