// Buttons for the possible actions of a player. The server decides on each.

import { isYourTurn, offered, other, seatOf } from "../model/state.js";
import { timeWords } from "../model/words.js";
import { AiPicker } from "./ai_picker.js";
import { h, setChildren, setText } from "./dom.js";

const OFFERS = {
  draw: { offer: "Offer a draw", open: "Draw offered", accept: "Accept the draw", decline: "No draw" },
  takeback: {
    offer: "Take back",
    open: "Takeback asked for",
    accept: "Allow the takeback",
    decline: "No takeback",
  },
  rematch: { offer: "Rematch", open: "Rematch offered", accept: "Accept the rematch", decline: "No rematch" },
};

/**
 * The buttons: `[{key, label, command, …}]`. `from`: the time, in the ms of `now`, from which the
 * server should accept it. A page just opened may be wrong about that, so the button works before then.
 * `asks`: the question that a second press confirms. `off`: a press does nothing.
 */
function actionsOf(view) {
  const seat = seatOf(view);
  if (!seat) return [];
  return [
    ...answers(view),
    ...(view.room.status === "playing" ? inGame(view, seat) : between(view, seat)),
    ...forAbsent(view, seat),
    leave(view),
  ];
}

function answers(view) {
  return offered(view).flatMap((kind) => [
    { key: `accept ${kind}`, label: OFFERS[kind].accept, command: { type: "accept", kind }, main: true },
    { key: `decline ${kind}`, label: OFFERS[kind].decline, command: { type: "decline", kind } },
  ]);
}

function inGame(view, seat) {
  const { game, settings } = view.room;
  const moved = game.ply > (seat === "X" ? 0 : 1);
  return [
    settings.hints && isYourTurn(view) ? { key: "hint", label: "Hint", command: { type: "hint" } } : null,
    moved ? offer(view, seat, "takeback") : null,
    offer(view, seat, "draw"),
    {
      key: "resign",
      label: "Resign",
      command: { type: "resign", game: game.number },
      asks: "Really resign?",
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
  if (by === other(seat)) return null;
  const key = `offer ${kind}`;
  const main = kind === "rematch";
  return by === seat
    ? { key, label: OFFERS[kind].open, off: true }
    : { key, label: OFFERS[kind].offer, command: { type: "offer", kind }, main };
}

function forAbsent(view, seat) {
  const { game, settings, seats, status } = view.room;
  const theirs = other(seat);
  const away = seats[theirs] && !seats[theirs].connected;
  if (!away && seats[theirs]) return [];
  const from = away ? view.awaySince[theirs] + settings.grace_s * 1000 : 0;
  const fill = { key: "fill", label: away ? "Let an AI play on" : "Let an AI play", fill: theirs, from };
  const claim = {
    key: "claim",
    label: "Claim the game",
    command: { type: "claim", game: game?.number },
    from,
  };
  return status === "playing" ? [claim, fill] : [fill];
}

function leave(view) {
  const asks = view.room.status === "playing" ? "Resign and leave?" : null;
  return { key: "leave", label: "Leave the seat", leave: true, asks };
}

const newButton = () => h("button", { type: "button" });

export class Actions {
  #picker = null;
  #buttons = new Map();
  #list = h("div", { class: "buttons" });
  #fill = h("span", { hidden: true });
  #act;
  #asked = null;

  /** `act(action)` is called for a press. */
  constructor(act) {
    this.#act = act;
    this.element = h("section", { class: "actions", "aria-label": "Your actions" }, this.#list, this.#fill);
  }

  show(view) {
    const actions = actionsOf(view);
    const keys = actions.map(({ key }) => key);
    if (keys.join() !== [...this.#buttons.keys()].join()) {
      const hadFocus = this.#list.contains(document.activeElement);
      this.#buttons = new Map(keys.map((key) => [key, this.#buttons.get(key) ?? newButton()]));
      setChildren(this.#list, [...this.#buttons.values()]);
      this.#asked = null;
      if (hadFocus && !this.#list.contains(document.activeElement)) this.#list.firstChild?.focus();
    }
    for (const action of actions) this.#update(this.#buttons.get(action.key), action);
    this.element.hidden = actions.length === 0;
    this.#fill.hidden = !keys.includes("fill");
    if (!this.#fill.hidden && !this.#picker) {
      this.#picker = new AiPicker("The AI that plays", "Its level");
      this.#fill.append(this.#picker.element);
    }
  }

  #update(button, action) {
    const { key, label, asks, main, off, from } = action;
    const leftMs = from ? from - performance.now() : 0;
    const asked = this.#asked === key;
    setText(button, asked ? asks : leftMs > 0 ? `${label} in ${timeWords(leftMs + 999)}` : label);
    button.className = asked ? "danger" : main ? "main" : "";
    button.ariaDisabled = String(Boolean(off)); // `disabled` would take the focus away
    button.onclick = () => {
      if (off) return;
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
