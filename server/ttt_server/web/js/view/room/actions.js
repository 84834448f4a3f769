// What a player can do: four buttons in fixed places, and a bar for what is asked just now.

import { t } from "../../model/language.js";
import { chooser, isOfAis, isOpening, isShared, isYourTurn, offered, offerWaits, other, seatOf } from "../../model/state.js";
import { hintWords, isolated, nameOf, timeWords } from "../../model/words.js";
import { gamePage, lobbyPage } from "../../net/address.js";
import { h, setChildren, setText } from "../dom.js";
import { addStyles, icon } from "../page.js";

const DEAF_MS = 600; // a finger that was on its way presses nothing that has just come

const ICONS = {
  hint: "M9.2 9a3 3 0 1 1 4.3 2.7c-1 .5-1.5 1.1-1.5 2.3M12 18h0",
  takeback: "M8 5L4 9l4 4M4 9h10a5 5 0 0 1 0 10h-3",
  draw: "M6 9h12M6 15h12",
  resign: "M6 21V4h11l-2.5 4L17 12H6",
};

/** The four places; `off` says why a press does nothing. */
function fixedActions(view, seat) {
  const { game, settings, status } = view.room;
  const moved = game.ply > (seat === "X" || isShared(view) ? 0 : 1);
  const turn = isYourTurn(view) && !isOpening(view);
  const actions = [
    {
      key: "hint",
      label: t("act.hint"),
      command: { type: "hint" },
      off: settings.hints ? (turn ? null : t("act.not_turn")) : t("act.no_hints"),
    },
    offer(view, seat, "takeback", settings.rated ? t("decline.takeback") : moved && !isOpening(view) ? null : t("act.no_move")),
    { ...offer(view, seat, "draw", null), asks: [t("act.draw_sure"), t("offer.draw")] },
    {
      key: "resign",
      label: t("act.resign"),
      command: { type: "resign", game: game.number },
      off: null,
      asks: [t("act.resign_sure"), t("act.resign")],
    },
  ];
  return status === "playing" ? actions : actions.map((action) => ({ ...action, off: t("refused.game_over") }));
}

function offer(view, seat, kind, off) {
  const by = view.room.offers[kind];
  const waits = offerWaits(view, kind);
  const why =
    by === seat ? t(`offered.${kind}`)
    : by === other(seat) && !isShared(view) ? t("act.answer")
    : waits ? t("act.again_in", { count: waits })
    : off;
  return { key: kind, label: kind === "draw" ? t("act.draw") : t(`offer.${kind}`), command: { type: "offer", kind }, off: why };
}

/**
 * What stands in the bar: `[{key, words, buttons}]`. `from`: the time, in the ms of `now`, from which the
 * server should accept a command. A page just opened may be wrong about it, so the button works before.
 */
function notesOf(view, isOfEvent) {
  const seat = seatOf(view);
  const { status } = view.room;
  if (!seat) return isOfAis(view.room) && status === "finished" ? [end([onceMore(), share(), newGame()])] : [];
  const notes = [choices(view, seat), ...answers(view), ...(isShared(view) ? [] : [absence(view, seat, isOfEvent)])];
  if (status === "finished") notes.push(end(isOfEvent ? [share()] : [...rematch(view, seat), analyse(view.room), share(), newGame()]));
  return notes.filter((note) => note?.buttons.length);
}

const end = (buttons) => ({ key: "end", words: "", buttons });
const onceMore = () => ({ key: "once more", label: t("room.once_more"), onceMore: true, main: true });
const analyse = ({ name, game }) => ({ key: `analyse ${game.number}`, label: t("act.analyse"), href: gamePage(name, game.number) });
const share = () => ({ key: "share", label: t("act.share"), share: true });
const newGame = () => ({ key: "new", label: t("act.new"), href: lobbyPage() });

/** The choices of an opening, each with a digit as its key. */
function choices(view, seat) {
  if (chooser(view) !== seat) return null;
  const { number: game, ply, choices: open = [] } = view.room.game;
  return {
    key: "choose",
    words: "",
    buttons: open.map((choice, index) => ({
      key: `choose ${choice}`,
      label: t(`choose.${choice}`),
      command: { type: "choose", game, ply, choice },
      shortcut: String(index + 1),
      main: true,
    })),
  };
}

function answers(view) {
  const name = isolated(nameOf(view.room.seats[other(seatOf(view))], view.room.settings.rules));
  return offered(view).map((kind) => ({
    key: `answer ${kind}`,
    words: t(`asked.${kind}`, { name }),
    buttons: [
      { key: `accept ${kind}`, label: t(`accept.${kind}`), command: { type: "accept", kind }, main: true },
      { key: `decline ${kind}`, label: t(`decline.${kind}`), command: { type: "decline", kind } },
    ],
  }));
}

function rematch(view, seat) {
  const by = view.room.offers.rematch;
  if (by === other(seat) && !isShared(view)) return [];
  const made = by !== null;
  return [{ key: "rematch", label: t(made ? "offered.rematch" : "offer.rematch"), command: { type: "offer", kind: "rematch" }, main: !made, off: made }];
}

function absence(view, seat, isOfEvent) {
  const { game, settings, seats, status } = view.room;
  const theirs = other(seat);
  const away = seats[theirs] && !seats[theirs].connected;
  if (!away && seats[theirs]) return null;
  const from = away ? view.awaySince[theirs] + settings.grace_s * 1000 : 0;
  const fill = { key: "fill", label: t(away ? "act.fill_away" : "act.fill"), fill: theirs, from };
  const claim = { key: "claim", label: t("act.claim"), command: { type: "claim", game: game?.number }, from };
  const isTheirs = status === "playing" && game.turn === theirs;
  const own = isOfEvent || settings.rated ? [] : [...(away ? [] : [{ key: "both", label: t("act.both"), both: true }]), fill];
  const name = away ? isolated(nameOf(seats[theirs])) : "";
  return { key: "away", words: away ? t("act.away", { name }) : "", buttons: [...(isTheirs ? [claim] : []), ...own] };
}

const wholeSeconds = (ms) => timeWords(Math.ceil(ms / 1000) * 1000).replace(/\.\d$/, "");

export class Actions {
  #picker = null;
  #isPickerDue = true;
  #places = new Map();
  #buttons = new Map();
  #notes = new Map();
  #shortcuts = new WeakMap();
  #grid = h("div", { class: "fixed" });
  #asks = h("div", { class: "asks" });
  #fill = h("span", { hidden: true });
  #isOver = false;
  #leave = h("button", { type: "button", class: "plain leave" });
  #act;
  #view = null;
  /** The action that waits for the answer to a question, or null. */
  #asked = null;
  #isOfEvent;

  /** `act(action)` is called for a press. `isOfEvent`: the game is one of an event. */
  constructor(act, isOfEvent) {
    this.#act = act;
    this.#isOfEvent = isOfEvent;
    addEventListener("keydown", (event) => this.#pressShortcut(event), { capture: true });
    this.element = h("section", { class: "actions", "aria-label": t("actions") }, this.#grid);
    this.hint = h("p", { class: "hint-words", "aria-live": "polite" });
    this.bar = h("section", { class: "bar", "aria-label": t("bar") }, this.#asks);
    this.foot = h("p", { class: "leave-row" }, this.#leave);
  }

  show(view) {
    this.#view = view;
    const hadFocus = this.#hasFocus;
    const seat = seatOf(view);
    const { status } = view.room;
    const hasEnded = status === "finished" && !this.#isOver;
    this.#isOver = status === "finished";
    const fixed = seat && status !== "waiting" ? fixedActions(view, seat) : [];
    if (this.#asked && !this.#asked.leave && !(seat && status === "playing")) this.#asked = null;
    setChildren(this.#grid, fixed.map((action) => this.#fixed(action)));
    this.element.hidden = fixed.length === 0;
    setText(this.hint, view.hint ? hintWords(view.hint, view.room.settings.rules) : "");
    this.foot.hidden = !seat;
    if (seat) this.#showLeave(view);
    this.#showBar();
    if (hadFocus && (hasEnded || !this.#hasFocus)) (this.bar.querySelector("button, a") ?? this.#grid.firstChild)?.focus();
  }

  get #hasFocus() {
    const { activeElement: focused } = document;
    return [this.element, this.bar].some((part) => !part.hidden && part.contains(focused));
  }

  #showLeave(view) {
    const asks = view.room.status === "playing" ? [t("act.leave_sure"), t("act.leave")] : null;
    setText(this.#leave, t("act.leave"));
    this.#leave.onclick = () => this.#press({ key: "leave", leave: true, asks });
  }

  #showBar() {
    const notes = [...(this.#asked ? [this.#question(this.#asked)] : []), ...notesOf(this.#view, this.#isOfEvent)];
    const buttons = notes.flatMap((note) => note.buttons);
    for (const key of this.#buttons.keys()) if (!buttons.some((each) => each.key === key)) this.#buttons.delete(key);
    const [asks, ends] = [notes.filter(({ key }) => key !== "end"), notes.filter(({ key }) => key === "end")];
    setChildren(this.#asks, asks.map((note) => this.#note(note)));
    setChildren(this.bar, [this.#asks, ...ends.map((note) => this.#note(note))]);
    for (const key of this.#notes.keys()) if (!notes.some((note) => note.key === key)) this.#notes.delete(key);
    this.bar.hidden = notes.length === 0;
    if (!this.bar.hidden || !this.element.hidden) addStyles("css/actions.css"); // those who only watch need none
    this.#fill.hidden = !buttons.some(({ key }) => key === "fill");
    if (!this.#fill.hidden && this.#isPickerDue) this.#addPicker(this.#view.room.settings.rules);
  }

  #question(action) {
    const [words, verb] = action.asks;
    return {
      key: `ask ${action.key}`,
      words,
      buttons: [
        { ...action, key: `sure ${action.key}`, label: verb, asks: null, off: null, danger: true },
        { key: `not ${action.key}`, label: t("act.go_on"), cancels: true },
      ],
    };
  }

  #note({ key, words, buttons }) {
    const known = this.#notes.get(key);
    const note = known ?? { words: h("p", {}), row: h("div", { class: "buttons" }) };
    note.element ??= h("div", { class: key === "end" ? "note-bar end" : "note-bar", role: "group" }, note.words, note.row);
    this.#notes.set(key, note);
    setText(note.words, words);
    note.words.hidden = !words;
    const parts = buttons.map((action) => this.#button(action));
    const fill = buttons.findIndex((action) => action.fill);
    if (fill >= 0) parts.splice(fill + 1, 0, this.#fill);
    setChildren(note.row, parts);
    return note.element;
  }

  #fixed({ key, label, off, ...rest }) {
    const button = kept(this.#places, key, () => h("button", { type: "button" }, icon(ICONS[key]), h("span", {}, label)));
    button.ariaDisabled = String(off !== null);
    button.title = off ?? "";
    button.onclick = () => (off === null ? this.#press({ key, ...rest }) : setText(this.hint, off));
    return button;
  }

  #button(action) {
    const { key, label, main, danger, off, from, href, shortcut = null } = action;
    if (href) return kept(this.#buttons, key, () => h("a", { class: "button quiet", href }, label));
    const button = kept(this.#buttons, key, () => deaf(h("button", { type: "button" })));
    const leftMs = from ? from - performance.now() : 0;
    setText(button, leftMs > 0 ? t("act.later", { label, time: wholeSeconds(leftMs) }) : label);
    button.className = danger ? "danger" : main ? "main" : "";
    button.ariaKeyShortcuts = shortcut;
    button.dataset.off = String(Boolean(off));
    hear(button);
    const press = () => (action.fill && !this.#picker) || off || this.#press(action);
    button.onclick = () => button.ariaDisabled === "true" || press();
    this.#shortcuts.set(button, press);
    return button;
  }

  #press(action) {
    this.#asked = action.asks ? action : null;
    this.#showBar();
    if (action.asks) return this.bar.querySelector("button")?.focus();
    this.#places.get(action.key.replace(/^(sure|not) /, ""))?.focus(); // the question is gone
    if (action.cancels) return;
    this.#act(action.fill ? { ...action, command: { type: "fill", seat: action.fill, ...this.#picker.value } } : action);
  }

  /** The seat of an absent player is seldom filled: the module of the choice is loaded when needed. */
  async #addPicker(rules) {
    this.#isPickerDue = false;
    const { AiPicker } = await import("../ai_picker.js");
    this.#picker = new AiPicker(rules, t("ai.label"), t("ai.level_label"));
    this.#fill.append(this.#picker.element);
  }

  /** A digit presses the button of a choice, wherever the focus is but in a field. */
  #pressShortcut(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("input, textarea, select")) return;
    const button = [...this.#buttons.values()].find((each) => each.ariaKeyShortcuts === event.key);
    if (!button) return;
    event.preventDefault();
    event.stopPropagation();
    this.#shortcuts.get(button)(); // a key means what it says: no finger was on its way
  }
}

function kept(map, key, make) {
  if (!map.has(key)) map.set(key, make());
  return map.get(key);
}

/** Make a button that hears nothing at first. */
function deaf(button) {
  button.dataset.deaf = "true";
  setTimeout(() => {
    delete button.dataset.deaf;
    hear(button);
  }, DEAF_MS);
  return button;
}

const hear = (button) => (button.ariaDisabled = String(button.dataset.off === "true" || button.dataset.deaf === "true"));
