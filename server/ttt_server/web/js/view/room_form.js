// The form that makes a room.

import { t } from "../model/language.js";
import { roomNameOf } from "../model/names.js";
import { OFFERED } from "../model/boards.js";
import { refusalWords, rulesWords } from "../model/words.js";
import { roomPage, strategies } from "../net/address.js";
import { AiPicker } from "./ai_picker.js";
import { freshRoomName, ownName } from "./chance.js";
import { h, setText } from "./dom.js";
import { NameField } from "./name_field.js";
import { keepsNames } from "./person_mark.js";

/** In minutes, and seconds a move. */
const CLOCKS = [
  [1, 0],
  [1, 2],
  [3, 2],
  [5, 3],
  [15, 10],
];

/** Days for each move. */
const DAYS = [1, 3, 7];

const OTHER = "other";
const OPENINGS = ["none", "pie", "swap2"];

/** The choice of an opening, with its label. */
export class OpeningPicker {
  #select = h("select", {}, ...OPENINGS.map((each) => h("option", { value: each }, t(`opening.${each}`))));
  element = labelled(t("form.opening"), this.#select);

  /** Swap2 needs a board without gravity, on which its first stones win nothing; connect6 is fair by itself. */
  setRules({ in_a_row: length, gravity, variant }) {
    const [, pie, swap2] = this.#select.options;
    pie.disabled = variant === "connect6";
    swap2.disabled = gravity || length < 4 || Boolean(variant);
    if (this.#select.selectedOptions[0].disabled) this.#select.value = "none";
  }

  get value() {
    return this.#select.value;
  }

  set value(opening) {
    this.#select.value = opening;
  }

  /** The field of settings; none for no opening. */
  get wanted() {
    const { value } = this.#select;
    return value === "none" ? {} : { opening: value };
  }
}

export class RoomForm {
  #room;
  #details = null;
  #becomes = h("small", {});
  #name = null;
  #board = choice(OFFERED.map(rulesWords), t("form.other_board"));
  #columns = number(3, 19, 3);
  #rows = number(3, 19, 3);
  #length = number(3, 19, 3);
  #gravity = h("input", { type: "checkbox" });
  #exact = h("input", { type: "checkbox" });
  #opening = new OpeningPicker();
  #unfold;
  #known = new Promise((unfold) => (this.#unfold = unfold)).then(strategies);
  #seats = {
    X: seatPicker("X", () => this.#showSeries(), this.#known),
    O: seatPicker("O", () => this.#showSeries(), this.#known),
  };
  #clock = choice([t("form.no_clock"), ...CLOCKS.map(clockWords), ...DAYS.map(dayWords)], t("form.other_clock"));
  #minutes = number(0.5, 180, 5, 0.5);
  #increment = number(0, 60, 3);
  #games = number(1, 1000, 1);
  #pace = number(0, 60, 1, 0.1);
  #series = h(
    "div",
    { class: "row", hidden: true },
    labelled(t("form.games"), this.#games),
    labelled(t("form.pace"), this.#pace),
  );
  #private = h("input", { type: "checkbox" });
  #delay = number(0, 3600, 0);
  #spectators = h("input", { type: "checkbox", checked: true });
  #hints = h("input", { type: "checkbox" });
  #rated = h("input", { type: "checkbox" });
  #password = h("input", { type: "password", maxlength: "128", autocomplete: "new-password" });
  #trouble = h("p", { class: "trouble", role: "alert", hidden: true });

  /** `room`: its name, or null to ask for one. `create({room, joinFields})` gets the fields of a `join`. */
  constructor(room, create) {
    this.#room = h("input", {
      name: "room",
      required: true,
      maxlength: "64",
      autocomplete: "off",
      value: room ?? freshRoomName(),
      oninput: () => this.#showName(),
    });
    if (room !== null) this.#name = new NameField();
    const custom = h(
      "div",
      { class: "row" },
      labelled(t("form.columns"), this.#columns),
      labelled(t("form.rows"), this.#rows),
      labelled(t("form.in_a_row"), this.#length),
      labelled(t("form.gravity"), this.#gravity),
    );
    const time = h(
      "div",
      { class: "row" },
      labelled(t("form.minutes"), this.#minutes),
      labelled(t("form.increment"), this.#increment),
    );
    onlyFor(this.#board, custom);
    for (const each of [this.#board, custom])
      each.addEventListener("change", () => {
        Object.values(this.#seats).forEach((seat) => seat.setRules(this.#rules));
        this.#opening.setRules(this.#rules);
      });
    onlyFor(this.#clock, time);
    const more = [
      labelled(t("form.board"), this.#board),
      custom,
      labelled(t("form.exact"), this.#exact),
      this.#opening.element,
      field(t("form.seat", { mark: "X" }), this.#seats.X.element),
      field(t("form.seat", { mark: "O" }), this.#seats.O.element),
      this.#series,
      labelled(t("form.clock"), this.#clock),
      time,
      labelled(t("form.password"), this.#password),
      labelled(t("form.delay"), this.#delay),
      h(
        "div",
        { class: "row" },
        labelled(t("form.private"), this.#private),
        labelled(t("form.spectators"), this.#spectators),
        labelled(t("form.hints"), this.#hints),
      ),
      keepsNames() ? labelled(t("form.rated"), this.#rated) : null,
    ];
    this.element = h(
      "form",
      {
        class: "room-form",
        onsubmit: (event) => {
          event.preventDefault();
          this.refuse("");
          const name = room ?? roomNameOf(this.#room.value);
          if (!name) return this.refuse(t("form.room_bad"));
          const { columns, rows, in_a_row: length } = this.#rules;
          const most = Math.max(columns, rows);
          if (length > most) return this.refuse(t("form.in_a_row_long", { most }));
          const joinFields = this.#joinFields;
          const { seats, clock, days, hints, rated } = joinFields.settings;
          if (rated && (seats || hints || !(clock || days))) return this.refuse(t("form.rated_needs"));
          if (this.#name?.keep() !== false) create({ room: name, joinFields });
        },
      },
      this.#name?.element ?? null,
      room === null ? labelled(t("form.room"), this.#room) : null,
      this.#becomes,
      ...(room === null ? more : [this.#more(more)]),
      this.#trouble,
      h("button", { type: "submit", class: "main" }, t("form.create")),
    );
    if (room === null) this.#unfold();
    this.#showName();
    this.#opening.setRules(this.#rules);
  }

  #more(fields) {
    this.#details = h("details", { ontoggle: () => this.#unfold() }, h("summary", {}, t("form.summary")), ...fields);
    return this.#details;
  }

  /** Open the choices, with the focus on their title. */
  unfold() {
    this.#details.open = true;
    this.#details.querySelector("summary").focus();
  }

  /** Show why the server did not make the room. */
  refused(refusal, existing) {
    const isGuest = this.#rated.checked && refusal.code === "not_allowed";
    this.refuse(isGuest ? t("form.rated_guest") : refusalWords(refusal), existing);
  }

  /** Show why the room was not made; `existing`: the room that has its name. */
  refuse(words, existing = null) {
    const link = existing && h("a", { href: roomPage(existing) }, t("game.to_room", { room: existing }));
    this.#trouble.replaceChildren(words, ...(link ? [" ", link] : []));
    this.#trouble.hidden = !words;
  }

  /** Take over a board of the known ones. */
  follow(board) {
    this.#board.value = board;
    this.#board.dispatchEvent(new Event("change", { bubbles: true }));
  }

  /** Show what a typed name becomes, where it is another. */
  #showName() {
    const room = roomNameOf(this.#room.value);
    this.#becomes.hidden = room === this.#room.value;
    setText(this.#becomes, room ? t("form.room_becomes", { room }) : t("form.room_bad"));
  }

  #showSeries() {
    const isOfAis = this.#seats.X.value !== "human" && this.#seats.O.value !== "human";
    this.#series.hidden = !isOfAis;
    for (const input of [this.#games, this.#pace]) input.disabled = !isOfAis;
  }

  get #joinFields() {
    const settings = { rules: this.#rules, ...this.#opening.wanted };
    const seats = { X: this.#seats.X.value, O: this.#seats.O.value };
    const humans = Object.values(seats).filter((seat) => seat === "human").length;
    if (humans < 2) settings.seats = seats;
    if (humans === 0) Object.assign(settings, { games: this.#games.valueAsNumber, pace_s: this.#pace.valueAsNumber });
    const clock = this.#clockSetting;
    if (clock) settings.clock = { initial_s: clock[0], increment_s: clock[1] };
    const days = DAYS[this.#clock.value - 1 - CLOCKS.length];
    if (days) settings.days = days;
    if (this.#private.checked) settings.public = false;
    if (!this.#spectators.checked) settings.spectators = false;
    if (this.#hints.checked) settings.hints = true;
    if (this.#rated.checked) settings.rated = true;
    if (this.#delay.valueAsNumber) settings.delay_s = this.#delay.valueAsNumber;
    if (this.#password.value) settings.password = this.#password.value;
    return { role: humans ? "player" : "spectator", name: ownName(), settings };
  }

  get #rules() {
    const own = () => ({
      columns: this.#columns.valueAsNumber,
      rows: this.#rows.valueAsNumber,
      in_a_row: this.#length.valueAsNumber,
      gravity: this.#gravity.checked,
    });
    const rules = OFFERED[this.#board.value] ?? own();
    return this.#exact.checked ? { ...rules, exact: true } : rules;
  }

  get #clockSetting() {
    if (this.#clock.value === OTHER) return [this.#minutes.valueAsNumber * 60, this.#increment.valueAsNumber];
    const [minutes, seconds] = CLOCKS[this.#clock.value - 1] ?? [];
    return minutes ? [minutes * 60, seconds] : null;
  }
}

function seatPicker(mark, changed, known) {
  const human = [["human", t("form.human")]];
  return new AiPicker(OFFERED[0], t("form.seat", { mark }), t("form.level", { mark }), human, changed, undefined, known);
}

const dayWords = (count) => t("form.days", { count });

const clockWords = ([count, seconds]) =>
  t(seconds ? "form.clock_plus" : "form.clock_minutes", { count, seconds });

function choice(known, other) {
  const options = known.map((words, index) => h("option", { value: index }, words));
  return h("select", {}, ...options, h("option", { value: OTHER }, other));
}

const number = (min, max, value, step = 1) =>
  h("input", { type: "number", min, max, value, step, required: true });

const labelled = (words, input) =>
  h("label", { class: input.type === "checkbox" ? "check" : "field" }, h("span", {}, words), input);

/** A visible label of an element that has its own accessible names. */
const field = (words, element) =>
  h("div", { class: "field" }, h("span", { "aria-hidden": "true" }, words), element);

function onlyFor(select, fields) {
  const show = () => {
    fields.hidden = select.value !== OTHER;
    // A hidden invalid input would block the form.
    for (const input of fields.querySelectorAll("input")) input.disabled = fields.hidden;
  };
  select.addEventListener("change", show);
  show();
}
