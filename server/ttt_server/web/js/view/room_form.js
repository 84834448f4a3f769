// The form that makes a room.

import { recallName, rememberName } from "../net/token_store.js";
import { AiPicker } from "./ai_picker.js";
import { h } from "./dom.js";

const BOARDS = [
  ["3×3, three in a row", [3, 3, 3, false]],
  ["4×4, four in a row", [4, 4, 4, false]],
  ["5×5, four in a row", [5, 5, 4, false]],
  ["7×6, four in a row, pieces fall", [7, 6, 4, true]],
  ["15×15, five in a row", [15, 15, 5, false]],
  ["19×19, five in a row", [19, 19, 5, false]],
];

const CLOCKS = [
  ["No clock", null],
  ["1 minute", [60, 0]],
  ["1 minute, 2 seconds a move", [60, 2]],
  ["3 minutes, 2 seconds a move", [180, 2]],
  ["5 minutes, 3 seconds a move", [300, 3]],
  ["15 minutes, 10 seconds a move", [900, 10]],
];

const OTHER = "other";
const ROOM_NAME = "[A-Za-z0-9][A-Za-z0-9\\-]{0,31}";

export class RoomForm {
  #room;
  #name = h("input", { name: "name", maxlength: "24", autocomplete: "nickname", placeholder: "guest" });
  #board = choice(BOARDS, "Another board");
  #columns = number(3, 19, 3);
  #rows = number(3, 19, 3);
  #length = number(3, 19, 3);
  #gravity = h("input", { type: "checkbox" });
  #seats = {
    X: new AiPicker("X is played by", "Level of X", [["human", "A person"]]),
    O: new AiPicker("O is played by", "Level of O", [["human", "A person"]]),
  };
  #clock = choice(CLOCKS, "Another clock");
  #minutes = number(0.5, 180, 5, 0.5);
  #increment = number(0, 60, 3);
  #private = h("input", { type: "checkbox" });
  #hints = h("input", { type: "checkbox" });
  #password = h("input", { type: "password", maxlength: "128", autocomplete: "new-password" });
  #trouble = h("p", { class: "trouble", role: "alert", hidden: true });

  /** `room`: its name, or null to ask for one. `create({room, joinFields})` gets the fields of a `join`. */
  constructor(room, create) {
    this.#name.value = recallName();
    this.#room = h("input", {
      name: "room",
      required: true,
      maxlength: "32",
      pattern: ROOM_NAME,
      autocomplete: "off",
      title: "Letters, digits and -",
      value: room ?? freshName(),
    });
    const custom = h(
      "div",
      { class: "row" },
      labelled("Columns", this.#columns),
      labelled("Rows", this.#rows),
      labelled("In a row", this.#length),
      labelled("Pieces fall", this.#gravity),
    );
    const time = h(
      "div",
      { class: "row" },
      labelled("Minutes", this.#minutes),
      labelled("Seconds a move", this.#increment),
    );
    onlyFor(this.#board, custom);
    onlyFor(this.#clock, time);
    const more = [
      labelled("Board", this.#board),
      custom,
      field("X is played by", this.#seats.X.element),
      field("O is played by", this.#seats.O.element),
      labelled("Clock", this.#clock),
      time,
      labelled("Password", this.#password),
      h(
        "div",
        { class: "row" },
        labelled("Private: not in the lobby", this.#private),
        labelled("Hints", this.#hints),
      ),
    ];
    this.element = h(
      "form",
      {
        class: "room-form",
        onsubmit: (event) => {
          event.preventDefault();
          this.refuse("");
          rememberName(this.#name.value);
          create({ room: this.#room.value.toLowerCase(), joinFields: this.#joinFields });
        },
      },
      labelled("Your name", this.#name),
      room === null ? labelled("Room", this.#room) : null,
      ...(room === null ? more : [h("details", {}, h("summary", {}, "Board, opponent, clock"), ...more)]),
      this.#trouble,
      h("button", { type: "submit", class: "main" }, "Create room"),
    );
  }

  /** Show why the room was not made. */
  refuse(words) {
    this.#trouble.textContent = words;
    this.#trouble.hidden = !words;
  }

  get #joinFields() {
    const settings = { rules: this.#rules };
    const seats = { X: this.#seats.X.value, O: this.#seats.O.value };
    const humans = Object.values(seats).filter((seat) => seat === "human").length;
    if (humans < 2) settings.seats = seats;
    const clock = this.#clockSetting;
    if (clock) settings.clock = { initial_s: clock[0], increment_s: clock[1] };
    if (this.#private.checked) settings.public = false;
    if (this.#hints.checked) settings.hints = true;
    if (this.#password.value) settings.password = this.#password.value;
    return { role: humans ? "player" : "spectator", settings };
  }

  get #rules() {
    const chosen = BOARDS[this.#board.value]?.[1];
    const own = () => [
      ...[this.#columns, this.#rows, this.#length].map((input) => input.valueAsNumber),
      this.#gravity.checked,
    ];
    const [columns, rows, length, gravity] = chosen ?? own();
    return { columns, rows, in_a_row: length, gravity };
  }

  get #clockSetting() {
    if (this.#clock.value === OTHER) return [this.#minutes.valueAsNumber * 60, this.#increment.valueAsNumber];
    return CLOCKS[this.#clock.value][1];
  }
}

function choice(known, other) {
  const options = known.map(([words], index) => h("option", { value: index }, words));
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

const WORDS = [
  "amber",
  "birch",
  "cedar",
  "delta",
  "ember",
  "fjord",
  "grove",
  "heron",
  "iris",
  "juniper",
  "kite",
  "lark",
  "maple",
  "north",
  "opal",
  "pine",
  "quartz",
  "river",
  "slate",
  "tulip",
];

function freshName() {
  const [first, second, digits] = crypto.getRandomValues(new Uint32Array(3));
  return `${WORDS[first % WORDS.length]}-${WORDS[second % WORDS.length]}-${100 + (digits % 900)}`;
}
