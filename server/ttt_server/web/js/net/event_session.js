// A connection to an event that outlives its sockets: it takes part, organises or watches, and resumes
// with the stored token. A player who was removed comes back by a press alone.

import { socketUrl } from "./address.js";
import { Connection } from "./connection.js";
import { forgetToken, recallChoice, recallToken, rememberChoice, rememberToken } from "./token_store.js";

/** Refusals of a first command that may be gone soon. */
const TEMPORARY = new Set(["rate_limited", "server_full", "storage_failed"]);

/** A second first command is always refused, and so always answered: a question to a silent server. */
const QUESTION = { type: "watch", id: "page-line" };

/** The most rows of the standings that a message has. */
const MOST_ROWS = 50;

export class EventSession {
  #event;
  #listener;
  #as;
  #watch;
  /** The first command of a press, until it is answered. */
  #wanted = null;
  #lastFirst = null;
  /** This connection in the words of its welcome. */
  #you = null;
  /** Whether the player was not let back after a removal. */
  #isOut = false;
  #connection;

  /**
   * The listener has `onMessage(message)`; `onState(state)`, see `Connection`, but "open" when the first
   * command is answered, as no other is sent before; and `onOutside(refusal)` when the event is not
   * entered. `as`: "anyone" has the part that this browser had before; "wall" watches, and is told of the
   * liveliest boards; "player" is the player of an organiser's browser, and closes where there is none.
   */
  constructor(event, listener, { as = "anyone" } = {}) {
    this.#event = event;
    this.#listener = listener;
    this.#as = as;
    this.#watch = as === "player" ? null : { type: "watch", ...(as === "wall" ? { boards: true } : {}) };
    this.#connection = new Connection(socketUrl(`events/${event}`), {
      firstCommand: () => this.#firstCommand(),
      onMessage: (message) => this.#receive(message),
      onState: (state) => {
        if (state.state === "ended") this.#wanted = null;
        if (state.state !== "open") this.#listener.onState(state);
      },
      ask: () => this.send(QUESTION),
    });
  }

  /** Come in as before: the organiser, a player, or else a watcher. */
  enter() {
    this.#connection.dial();
  }

  /** Take part under a name. */
  takePart(name) {
    this.#begin({ type: "enter", name });
  }

  /** Take part again after a removal. */
  comeBack() {
    this.#begin({ type: "enter", token: recallToken(playerKey(this.#event)) });
  }

  create(title, settings) {
    this.#begin({ type: "create", ...(title ? { title } : {}), settings });
  }

  send(command) {
    return this.#you !== null && this.#connection.send(command);
  }

  /** Whether this browser has a player in the event, as far as it knows. */
  get hasPlayer() {
    return recallToken(playerKey(this.#event)) !== null && this.removal === null;
  }

  /** "removed" for a player who was removed, "for good" for one who was not let back; null for others. */
  get removal() {
    if (this.#isOut) return "for good";
    return recallRemoval(this.#event) ? "removed" : null;
  }

  #begin(command) {
    if (this.#wanted) return; // a second press, before the answer to the first: it would be another player
    this.#wanted = command;
    this.#connection.dial();
  }

  #firstCommand() {
    this.#you = null;
    return (this.#lastFirst = this.#wanted ?? this.#asBefore());
  }

  /** The first command for the part that this browser had before. */
  #asBefore() {
    const organiser = this.#as === "anyone" ? recallToken(organiserKey(this.#event)) : null;
    if (organiser) return { type: "organise", token: organiser };
    if (this.#as === "wall" || !this.hasPlayer) return this.#watch;
    return { type: "enter", token: recallToken(playerKey(this.#event)) };
  }

  #receive(message) {
    if (message.id === QUESTION.id) return; // the answer itself says nothing
    if (this.#you === null && !TEMPORARY.has(message.code)) this.#listener.onState({ state: "open" });
    if (message.type === "welcome") this.#welcomed(message.you);
    if (message.event) this.#noticeRemoval(message.event);
    if (this.#you !== null) this.#listener.onMessage(message);
    else if (message.type === "refused") this.#refused(message);
  }

  #welcomed(you) {
    this.#you = you;
    this.#wanted = null;
    if (you.role === "organiser") rememberToken(organiserKey(this.#event), you.token);
    if (you.role !== "player") return;
    rememberToken(playerKey(this.#event), you.token);
    this.#setRemoval({ isNoticed: false, isOut: false });
  }

  #setRemoval({ isNoticed, isOut }) {
    rememberRemoval(this.#event, isNoticed);
    this.#isOut = isOut;
  }

  /** A player who was removed has no row; in a long list the row may be further down. */
  #noticeRemoval({ standings }) {
    if (this.#you?.role !== "player" || standings.length >= MOST_ROWS) return;
    if (!standings.some(({ id }) => id === this.#you.id)) this.#setRemoval({ isNoticed: true, isOut: false });
  }

  #refused(refusal) {
    if (TEMPORARY.has(refusal.code)) return this.#connection.retry(refusal);
    const { type, token } = this.#lastFirst;
    if (type === "watch") {
      this.#connection.close();
      return this.#listener.onOutside(refusal);
    }
    const isWanted = this.#wanted !== null;
    this.#wanted = null;
    const isBadToken = refusal.code === "bad_token";
    if (isBadToken) this.#forget(type);
    // A player is in already: the one reason against it is a removal without a way back.
    else if (type === "enter" && token && refusal.code === "not_allowed") this.#setRemoval({ isNoticed: false, isOut: true });
    else this.#listener.onMessage(refusal);
    this.#lastFirst = isWanted || isBadToken ? this.#asBefore() : this.#watch;
    if (this.#lastFirst) this.#connection.send(this.#lastFirst);
    else this.#connection.close();
  }

  #forget(type) {
    if (type === "organise") return forgetToken(organiserKey(this.#event));
    forgetToken(playerKey(this.#event));
    this.#setRemoval({ isNoticed: false, isOut: false });
  }
}

// Rooms have no slash in their names, so these are no rooms' tokens.
export const organiserKey = (event) => `event/${event}/organiser`;
const playerKey = (event) => `event/${event}`;

/** Whether this browser's player was removed from an event, and has not come back by a press. */
const recallRemoval = (event) => recallChoice(`removed from ${event}`) !== null;
const rememberRemoval = (event, isSo) => rememberChoice(`removed from ${event}`, isSo ? "1" : null);
