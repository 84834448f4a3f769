// A connection to an event that outlives its sockets: it takes part, organises or watches, and resumes
// with the stored token.

import { socketUrl } from "./address.js";
import { Connection } from "./connection.js";
import { forgetToken, recallToken, rememberToken } from "./token_store.js";

/** Refusals of a first command that may be gone soon. */
const TEMPORARY = new Set(["rate_limited", "server_full", "storage_failed"]);

/** A second first command is always refused, and so always answered: a question to a silent server. */
const QUESTION = { type: "watch", id: "page-line" };

export class EventSession {
  #event;
  #listener;
  #first;
  #isWall;
  #watch;
  #lastFirst = null;
  #inside = false;
  #connection;

  /**
   * The listener has `onMessage(message)`; `onState(state)`, see `Connection`; and `onOutside(refusal)`
   * when the event is not entered. `isWall`: watches, whatever part this browser has, and is told of the
   * liveliest boards.
   */
  constructor(event, listener, { isWall = false } = {}) {
    this.#event = event;
    this.#listener = listener;
    this.#isWall = isWall;
    this.#watch = { type: "watch", ...(isWall ? { boards: true } : {}) };
    this.#first = this.#watch;
    this.#connection = new Connection(socketUrl(`events/${event}`), {
      firstCommand: () => this.#firstCommand(),
      onMessage: (message) => this.#receive(message),
      onState: (state) => this.#listener.onState(state),
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

  create(title, settings) {
    this.#begin({ type: "create", ...(title ? { title } : {}), settings });
  }

  send(command) {
    return this.#inside && this.#connection.send(command);
  }

  #begin(command) {
    this.#first = command;
    this.#inside = false;
    this.#connection.dial();
  }

  #firstCommand() {
    const organiser = this.#isWall ? null : recallToken(organiserKey(this.#event));
    const player = this.#isWall ? null : recallToken(playerKey(this.#event));
    if (organiser) this.#lastFirst = { type: "organise", token: organiser };
    else if (player) this.#lastFirst = { type: "enter", token: player };
    else this.#lastFirst = this.#first;
    return this.#lastFirst;
  }

  #receive(message) {
    if (message.id === QUESTION.id) return; // the answer itself says nothing
    if (message.type === "welcome") {
      this.#inside = true;
      this.#first = this.#watch;
      this.#keep(message.you);
    }
    if (this.#inside) this.#listener.onMessage(message);
    else if (message.type === "refused") this.#refused(message);
  }

  #keep({ role, token }) {
    if (role === "organiser") rememberToken(organiserKey(this.#event), token);
    if (role === "player") rememberToken(playerKey(this.#event), token);
  }

  #refused(refusal) {
    if (TEMPORARY.has(refusal.code)) return this.#connection.retry(refusal);
    if (refusal.code === "bad_token") {
      forgetToken(this.#lastFirst.type === "organise" ? organiserKey(this.#event) : playerKey(this.#event));
      return this.#connection.send(this.#firstCommand());
    }
    if (this.#lastFirst.type !== "watch") {
      this.#first = this.#watch;
      this.#listener.onMessage(refusal);
      return this.#connection.send(this.#firstCommand());
    }
    this.#connection.close();
    this.#listener.onOutside(refusal);
  }
}

// Rooms have no slash in their names, so these are no rooms' tokens.
export const organiserKey = (event) => `event/${event}/organiser`;
const playerKey = (event) => `event/${event}`;
