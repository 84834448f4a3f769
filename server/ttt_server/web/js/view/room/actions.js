// Buttons for the possible actions of a player. The server decides on each.

import { t } from "../../model/language.js";
import { chooser, isOfAis, isOpening, isShared, mayPlay, offered, other, seatOf } from "../../model/state.js";
import { hintWords, timeWords } from "../../model/words.js";
import { h, setChildren, setText } from "../dom.js";

/**
 * The buttons: `[{key, label, command, …}]`. `from`: the time, in the ms of `now`, from which the
 * server should accept it. A page just opened may be wrong about that, so the button works before then.
 * `asks`: the question that a second press confirms. `off`: a press does nothing.
 */
function actionsOf(view, isOfEvent) {
  const actions = allActionsOf(view);
  return isOfEvent ? actions.filter(({ key }) => !NOT_IN_EVENTS.has(key)) : actions;
}

/** The event itself decides who plays whom next. */
const NOT_IN_EVENTS = new Set(["offer rematch", "accept rematch", "decline rematch", "fill", "both"]);

function allActionsOf(view) {
  const seat = seatOf(view);
  if (!seat) return isOfAis(view.room) && view.room.status === "finished" ? [onceMore()] : [];
  return [
    ...choices(view, seat),
    ...answers(view),
    ...(view.room.status === "playing" ? inGame(view, seat) : between(view, seat)),
    ...(isShared(view) ? [] : forAbsent(view, seat)),
    leave(view),
  ];
}

const onceMore = () => ({ key: "once more", label: t("room.once_more"), onceMore: true, main: true });

/** The choices of an opening, each with a digit as its key. */
function choices(view, seat) {
  if (chooser(view) !== seat) return [];
  const { number: game, ply, choices: open = [] } = view.room.game;
  return open.map((choice, index) => ({
    key: `choose ${choice}`,
    label: t(`choose.${choice}`),
    command: { type: "choose", game, ply, choice },
    shortcut: String(index + 1),
    main: true,
  }));
}

function answers(view) {
  return offered(view).flatMap((kind) => [
    { key: `accept ${kind}`, label: t(`accept.${kind}`), command: { type: "accept", kind }, main: true },
    { key: `decline ${kind}`, label: t(`decline.${kind}`), command: { type: "decline", kind } },
  ]);
}

function inGame(view, seat) {
  const { game, settings } = view.room;
  const moved = game.ply > (seat === "X" || isShared(view) ? 0 : 1);
  return [
    settings.hints && mayPlay(view) && !isOpening(view) ? { key: "hint", label: t("act.hint"), command: { type: "hint" } } : null,
    moved && !isOpening(view) ? offer(view, seat, "takeback") : null,
    offer(view, seat, "draw"),
    {
      key: "resign",
      label: t("act.resign"),
      command: { type: "resign", game: game.number },
      asks: t("act.resign_sure"),
    },
  ].filter(Boolean);
}

function between(view, seat) {
  const rematch = view.room.status === "finished" ? offer(view, seat, "rematch") : null;
  return rematch ? [rematch] : [];
}

/** The button of an offer, made or not; null if the other player's waits for an answer. */
function offer(view, seat, kind) {
  const by = view.room.offers[kind];
  if (by === other(seat) && !isShared(view)) return null;
  const key = `offer ${kind}`;
  const main = kind === "rematch";
  // Two at one screen agree by one press; what cannot be undone is asked twice.
  const asks = isShared(view) && kind === "draw" ? t("act.draw_sure") : null;
  return by !== null
    ? { key, label: t(`offered.${kind}`), off: true }
    : { key, label: t(`offer.${kind}`), command: { type: "offer", kind }, main, asks };
}

function forAbsent(view, seat) {
  const { game, settings, seats, status } = view.room;
  const theirs = other(seat);
  const away = seats[theirs] && !seats[theirs].connected;
  if (!away && seats[theirs]) return [];
  const from = away ? view.awaySince[theirs] + settings.grace_s * 1000 : 0;
  const fill = { key: "fill", label: t(away ? "act.fill_away" : "act.fill"), fill: theirs, from };
  const claim = {
    key: "claim",
    label: t("act.claim"),
    command: { type: "claim", game: game?.number },
    from,
  };
  if (status === "playing") return game.turn === theirs ? [claim, fill] : [fill];
  return away ? [fill] : [{ key: "both", label: t("act.both"), both: true }, fill];
}

function leave(view) {
  const asks = view.room.status === "playing" ? t("act.leave_sure") : null;
  return { key: "leave", label: t("act.leave"), leave: true, asks };
}

/** A time in whole seconds, rounded up: `0:09`. */
const wholeSeconds = (ms) => timeWords(Math.ceil(ms / 1000) * 1000).replace(/\.\d$/, "");

const newButton = () => h("button", { type: "button" });

export class Actions {
  #picker = null;
  #isPickerDue = true;
  #buttons = new Map();
  #list = h("div", { class: "buttons" });
  #fill = h("span", { hidden: true });
  #hint = h("p", { class: "hint-words", "aria-live": "polite" });
  #act;
  #asked = null;
  #isOfEvent;

  /** `act(action)` is called for a press. `isOfEvent`: the game is one of an event. */
  constructor(act, isOfEvent) {
    this.#act = act;
    this.#isOfEvent = isOfEvent;
    addEventListener("keydown", (event) => this.#pressShortcut(event), { capture: true });
    this.element = h("section", { class: "actions", "aria-label": t("actions") }, this.#list, this.#hint);
  }

  show(view) {
    const actions = actionsOf(view, this.#isOfEvent);
    const keys = actions.map(({ key }) => key);
    if (keys.join() !== [...this.#buttons.keys()].join()) {
      const hadFocus = this.#list.contains(document.activeElement);
      this.#buttons = new Map(keys.map((key) => [key, this.#buttons.get(key) ?? newButton()]));
      const parts = [...this.#buttons].flatMap(([key, button]) => (key === "fill" ? [button, this.#fill] : [button]));
      setChildren(this.#list, parts);
      if (!keys.includes(this.#asked)) this.#asked = null; // a move of the other player leaves a question open
      if (hadFocus && !this.#list.contains(document.activeElement)) this.#list.firstChild?.focus();
    }
    for (const action of actions) this.#update(this.#buttons.get(action.key), action);
    this.element.hidden = actions.length === 0;
    setText(this.#hint, view.hint ? hintWords(view.hint, view.room.settings.rules) : "");
    this.#fill.hidden = !keys.includes("fill");
    if (!this.#fill.hidden && this.#isPickerDue) this.#addPicker(view.room.settings.rules);
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
    button.click();
  }

  #update(button, action) {
    button.ariaKeyShortcuts = action.shortcut ?? null;
    const { key, label, asks, main, off, from } = action;
    const leftMs = from ? from - performance.now() : 0;
    const asked = this.#asked === key;
    setText(button, asked ? asks : leftMs > 0 ? t("act.later", { label, time: wholeSeconds(leftMs) }) : label);
    button.className = asked ? "danger" : main ? "main" : "";
    button.ariaDisabled = String(Boolean(off)); // `disabled` would take the focus away
    button.onclick = () => {
      if (off || (action.fill && !this.#picker)) return;
      if (asks && !asked) {
        this.#asked = key;
        this.#update(button, action);
        return;
      }
      this.#asked = null;
      this.#act(
        action.fill
          ? { ...action, command: { type: "fill", seat: action.fill, ...this.#picker.value } }
          : action,
      );
    };
    button.onblur = () => {
      if (this.#asked !== key) return;
      this.#asked = null;
      this.#update(button, action);
    };
  }
}
