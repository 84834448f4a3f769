// One person's place in a room, over as many connections as it takes: watches or sits, resumes with
// the token that this browser keeps, and tells what stands in the way.

import { socketOf } from "./address.js";
import { Connection } from "./connection.js";
import { forget, recall, recallName, remember, rememberName } from "./token_store.js";

const WATCH = { role: "spectator" };

/** Refusals of a `join` that say nothing about the room: they pass. */
const PASSING = new Set(["rate_limited", "server_full", "storage_failed"]);

export class Visit {
  #room;
  #door;
  #wish = WATCH;
  #password;
  #greeted = null;
  #inside = false;
  #leaving = false;
  #connection;

  /**
   * The door has `hear(message)`, for whoever is inside; `tell(state)`, see `Connection`;
   * `stop(why, words)` when we stay outside: "none" (no such room), "locked", "closed" (to
   * spectators), "elsewhere" (the seat is played from there), "refused"; and `say(words)`.
   */
  constructor(room, door) {
    this.#room = room;
    this.#door = door;
    this.#connection = new Connection(socketOf(`rooms/${room}`), {
      greet: () => this.#greet(),
      hear: (message) => this.#hear(message),
      tell: (state) => this.#tell(state),
    });
  }

  /** Goes in: to the seat whose token is kept here, or else to watch. */
  enter() {
    this.#connection.dial();
  }

  /** Takes a seat, or with `settings` makes the room; a spectator's place is given up for it. */
  join(wish) {
    this.#wish = wish;
    this.#password = wish.settings?.password ?? this.#password;
    this.#connection.dial();
  }

  unlock(password) {
    this.#password = password;
    this.#connection.dial();
  }

  send(command) {
    return this.#inside && this.#connection.send(command);
  }

  /** Gives the seat up for good, and watches. */
  leave() {
    this.#leaving = this.send({ type: "leave" });
  }

  #greet() {
    const token = recall(this.#room);
    const name = recallName() || undefined;
    const password = this.#password;
    this.#greeted = token ? { type: "join", token } : { type: "join", name, password, ...this.#wish };
    return this.#greeted;
  }

  #hear(message) {
    if (message.type === "welcome") {
      if (message.you.token) remember(this.#room, message.you.token);
      this.#inside = true;
      this.#wish = WATCH;
    }
    if (this.#inside) this.#door.hear(message);
    else if (message.type === "refused") this.#refused(message);
  }

  #refused({ code, reason }) {
    const wished = this.#greeted;
    const isMaking = wished.settings && code !== "settings_conflict";
    if (code === "bad_token") {
      forget(this.#room);
      this.#door.say("The seat that you had here is gone.");
      return this.#again(this.#wish);
    }
    if (isMaking || code === "no_such_room") return this.#stop("none", isMaking ? reason : "");
    if (PASSING.has(code)) return this.#connection.retry(reason);
    if (code === "wrong_password") return this.#stop("locked", wished.password ? reason : "");
    if (code === "spectators_off") return this.#stop("closed");
    const isBadName = code === "bad_command" && Boolean(wished.name);
    if (isBadName) rememberName("");
    else if (!wished.settings && wished.role !== "player") return this.#stop("refused", reason);
    this.#door.say(reason);
    return this.#again(WATCH);
  }

  #again(wish) {
    this.#wish = wish;
    this.#connection.send(this.#greet());
  }

  #stop(why, words = "") {
    this.#connection.hangUp();
    this.#inside = false;
    this.#wish = WATCH;
    this.#door.stop(why, words);
  }

  #tell(state) {
    this.#inside = false;
    // Only now is the token of no use: a `leave` can get lost, or be refused.
    const hasLeft = this.#leaving && state.code === 1000;
    this.#leaving = false;
    if (hasLeft) {
      forget(this.#room);
      return this.enter();
    }
    if (state.state !== "ended") return this.#door.tell(state);
    if (state.code === 4001) return this.#stop("elsewhere");
    return this.#stop("refused", state.words);
  }
}
