// The ways into a game: a tap on the board, a friend, anyone, a class; the rest is folded away.

import { optionalText, t } from "../../model/language.js";
import { boardName } from "../../model/strength.js";
import { refusalWords, rulesWords } from "../../model/words.js";
import { newEventPage, strategies } from "../../net/address.js";
import { BoardTiles } from "../board_tiles.js";
import { freshCode, freshRoomName, ownName } from "../chance.js";
import { codeField } from "../code_field.js";
import { h, setText } from "../dom.js";
import { FirstMove } from "./first_move.js";
import { addPart } from "../page.js";
import { clockWords, PlayNow } from "./play_now.js";

/** The refusals by which a room has the name already. */
const EXISTS = new Set(["wrong_password", "room_full", "seat_taken", "spectators_off", "settings_conflict"]);

const MOST_BOARDS = 3; // that are named

export class FrontDoor {
  #create;
  #tiles = new BoardTiles((rules) => this.#setRules(rules));
  #first;
  #now;
  #second = null; // the name of the second player at this screen, once it is asked for
  #waiting = h("p", {});
  #trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  #form = null;
  #more = h("details", { ontoggle: () => this.#unfold() }, h("summary", {}, t("door.more")));
  #asked = "door"; // where a room was asked for last: "door", "board" or "form"

  /**
   * `create({room, joinFields, isForTwo, cell})` makes a room; the fields are those of a `join`, and `cell`
   * is the first move in it. `paired(room)` is called once a seat is held there.
   */
  constructor(create, paired) {
    this.#create = create;
    this.#first = new FirstMove(this.#tiles.rules, ({ cell, seats }) =>
      this.#enter({ seats, hints: true, public: false }, { cell, asked: "board" }),
    );
    const wanted = () => {
      this.#asked = "door";
      return { rules: this.#tiles.rules };
    };
    this.#now = new PlayNow(wanted, { paired, refused: (refusal) => this.refuse(refusal) });
    this.board = this.#first.element;
    this.element = h(
      "div",
      { class: "door" },
      h(
        "div",
        { class: "ways" },
        way("friend", h("p", {}, t("door.friend_words")), ...this.#friend()),
        way("anyone", this.#waiting, this.#now.element),
        way("class", ...this.#class()),
      ),
      this.#trouble,
      h("h2", {}, t("tiles")),
      this.#tiles.element,
      this.#more,
    );
    this.showWaiting([], []);
    strategies().then((known) => this.#first.setKnown(known));
  }

  /** Show how many others wait for an opponent, and for which boards: in the rooms, or with `seeking` of the lobby. */
  showWaiting(rooms, seeking) {
    // Nobody can seek an opening here.
    const waiting = [...rooms, ...seeking.filter((wish) => !wish.opening && !this.#now.isOwn(wish))];
    const boards = [...new Set(waiting.map(wishWords))];
    const words = t("door.waiting", { count: waiting.length, boards: boards.slice(0, MOST_BOARDS).join(", ") });
    setText(this.#waiting, waiting.length ? words : t("door.anyone_words"));
  }

  /** Show why no room was made, where it was asked for. */
  refuse(refusal, room = null) {
    const words = refusalWords(refusal);
    this.#first.refuse(this.#asked === "board" ? words : "");
    if (this.#asked === "form") this.#form.refused(refusal, EXISTS.has(refusal.code) ? room : null);
    if (this.#asked === "door") this.#say(words);
  }

  /** Take away words that say that the server cannot be reached: it can. */
  reached() {
    const isOver = (each) => each.textContent === t("refused.unreachable");
    for (const each of [...this.element.querySelectorAll(".trouble")].filter(isOver)) each.hidden = true;
    if ([...this.board.querySelectorAll(".trouble")].some(isOver)) this.#first.refuse();
  }

  #say(words) {
    this.#trouble.textContent = words;
    this.#trouble.hidden = !words;
    if (words) this.#trouble.scrollIntoView({ block: "nearest" });
  }

  #setRules(rules) {
    this.#first.setRules(rules);
    this.#form?.follow(this.#tiles.index);
  }

  /** Most visitors never see the form: its module is loaded when needed. */
  async #unfold() {
    if (this.#form !== null || !this.#more.open) return;
    const { RoomForm } = await import("../room_form.js");
    await addPart("form");
    if (this.#form !== null) return; // folded and unfolded again meanwhile
    this.#form = new RoomForm(null, (wanted) => {
      this.#asked = "form";
      this.#create(wanted);
    });
    this.#form.follow(this.#tiles.index);
    this.#more.append(this.#form.element);
  }

  #friend() {
    const link = button(t("door.friend_go"), () => this.#enter({ public: false }), "main");
    const start = button(t("door.two_go"), () => this.#second.keep() && this.#enter({ public: false }, { isForTwo: true }), "main");
    const row = h("div", { class: "second", hidden: true });
    const two = button(t("door.two"), async () => {
      row.hidden = !row.hidden;
      if (row.hidden) return;
      const { NameField } = await import("../name_field.js");
      this.#second ??= new NameField({ isSecond: true });
      row.replaceChildren(this.#second.element, start);
      this.#second.focus();
    });
    return [h("div", { class: "buttons" }, link, two), row];
  }

  #class() {
    return [
      h("p", {}, t("door.class_words")),
      codeField(),
      button(t("door.run"), async () => location.assign(newEventPage(await freshCode()))),
    ];
  }

  #enter(settings, { isForTwo = false, cell = null, asked = "door" } = {}) {
    this.#say("");
    this.#asked = asked;
    const joinFields = { role: "player", name: ownName(), settings: { rules: this.#tiles.rules, ...settings } };
    this.#create({ room: freshRoomName(), joinFields, isForTwo, cell });
  }
}

const button = (words, onclick, kind = "") => h("button", { type: "button", class: kind, onclick }, words);

/** The board that somebody wants, with the clock. */
function wishWords({ rules, clock }) {
  const board = optionalText(`tile.${boardName(rules)}`) ?? rulesWords(rules);
  return clock ? `${board} (${clockWords(clock)})` : board;
}

const way = (kind, ...children) => h("section", { class: `panel way ${kind}`, "aria-label": t(`door.${kind}`) }, h("h2", {}, t(`door.${kind}`)), ...children);
