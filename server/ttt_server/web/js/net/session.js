// @ts-check
// Membership of a room that outlives its connections: it watches or takes a seat, and resumes with
// the stored token.

import { socketUrl } from "./address.js";
import { Connection } from "./connection.js";
import {
  forgetPassword,
  forgetToken,
  newClaimKey,
  recallPassword,
  recallPerson,
  recallToken,
  rememberName,
  rememberPassword,
  rememberToken,
} from "./token_store.js";

const WATCH = { role: "spectator" };
const PLAY = { role: "player" };

/** Temporary refusals of a `join`. */
const TEMPORARY = new Set(["rate_limited", "server_full", "storage_failed"]);

/** A member's second `join` is always refused, and so always answered: a question to a silent server. */
const QUESTION = { type: "join", id: "page-line" };

export class Session {
  #room;
  #listener;
  #isSecond;
  #isOnlooker;
  #joinFields;
  #password;
  #claimKey = newClaimKey();
  #lastJoin = null;
  #inside = false;
  #leaving = false;
  #connection;

  /**
   * The listener has `onMessage(message)`, for members only; `onState(state)`, see `Connection`;
   * `onOutside(why, refusal)` when the room is not entered: "none" (no such room), "locked", "rated", "closed"
   * (to spectators), "elsewhere" (another window has the seat), "removed" (by the host), "left" (by the
   * second player), "refused"; `onNote(refusal)`; and `name()`, the user's name. A refusal is a message
   * `refused`, or a `code` alone, or null. `isSecond`: the second player at this screen, who only plays.
   * `isOnlooker`: watches, whatever seat this browser has.
   */
  constructor(room, listener, { isSecond = false, isOnlooker = false } = {}) {
    this.#room = room;
    this.#listener = listener;
    this.#isSecond = isSecond;
    this.#isOnlooker = isOnlooker;
    this.#joinFields = isSecond ? PLAY : WATCH;
    this.#password = recallPassword(room);
    this.#connection = new Connection(socketUrl(`rooms/${room}`), {
      firstCommand: () => this.#makeJoin(),
      onMessage: (message) => this.#receive(message),
      onState: (state) => this.#changeState(state),
      ask: () => this.send(QUESTION),
    });
  }

  get isInside() {
    return this.#inside;
  }

  /** See `Connection`. */
  latency() {
    return this.#connection.latency();
  }

  /** Enter the room: take the seat of the stored token, or else watch. */
  enter() {
    this.#connection.dial();
  }

  /** Take a seat, or make the room if there are `settings`. A spectator stops watching. */
  join(joinFields) {
    this.#joinFields = joinFields;
    if (joinFields.settings?.password) this.#keepPassword(joinFields.settings.password);
    this.#connection.dial();
  }

  unlock(password) {
    this.#keepPassword(password);
    this.#connection.dial();
  }

  send(command) {
    return this.#inside && this.#connection.send(command);
  }

  /** Give up the seat for good, at once or when it is entered, and watch. */
  leave() {
    this.#leaving = true;
    this.send({ type: "leave" });
  }

  /** Keep the seat, and stay away. */
  close() {
    this.#connection.close();
    this.#inside = false;
  }

  #keepPassword(password) {
    this.#password = password;
    rememberPassword(this.#room, password);
  }

  #makeJoin() {
    const token = this.#isOnlooker ? null : recallToken(this.#room, this.#isSecond);
    const name = this.#listener.name() || undefined;
    const password = this.#password;
    // A seat that is held after a quick match has no name yet.
    const person = (!this.#isSecond && recallPerson()) || undefined;
    this.#lastJoin = token
      ? { type: "join", token, name, person }
      : { type: "join", name, person, password, claim_key: this.#claimKey, ...this.#joinFields };
    return this.#lastJoin;
  }

  /** @param {import("../../../../../docs/ttt").Message} message */
  #receive(message) {
    if (message.type === "welcome") {
      if (message.you.token) {
        rememberToken(this.#room, message.you.token, this.#isSecond);
        this.#claimKey = newClaimKey(); // until here, a second press means the same seat
      }
      this.#inside = true;
      if (this.#leaving) this.leave();
      if (!this.#isSecond) this.#joinFields = WATCH;
    }
    if ("id" in message && message.id === QUESTION.id) return; // the answer itself says nothing
    if (this.#inside) this.#listener.onMessage(message);
    else if (message.type === "refused") this.#refused(message);
  }

  /** @param {import("../../../../../docs/ttt").RefusedMessage} refusal */
  #refused(refusal) {
    const { code } = refusal;
    const lastJoin = this.#lastJoin;
    const isMaking = lastJoin.settings && code !== "settings_conflict";
    if (code === "bad_token") {
      forgetToken(this.#room, this.#isSecond);
      if (this.#isSecond) return this.#stop("left", refusal);
      this.#listener.onNote({ code: "seat_gone" });
      return this.#joinAgain(this.#joinFields);
    }
    if (isMaking || code === "no_such_room") return this.#stop("none", isMaking ? refusal : null);
    if (TEMPORARY.has(code)) return this.#connection.retry(refusal);
    if (code === "wrong_password") {
      forgetPassword(this.#room);
      this.#password = undefined;
      return this.#stop("locked", lastJoin.password ? refusal : null);
    }
    if (code === "spectators_off") return this.#stop("closed");
    // A bot, too, is refused so.
    if (code === "not_allowed" && !this.#isSecond) return this.#stop(/ rated/.test(refusal.reason) ? "rated" : "removed");
    const isBadName = code === "bad_command" && Boolean(lastJoin.name);
    if (isBadName) rememberName("", this.#isSecond);
    else if (this.#isSecond || (!lastJoin.settings && lastJoin.role !== "player")) return this.#stop("refused", refusal);
    this.#listener.onNote(isBadName ? { code: "bad_name" } : refusal);
    return this.#joinAgain(this.#isSecond ? PLAY : WATCH);
  }

  #joinAgain(joinFields) {
    this.#joinFields = joinFields;
    this.#connection.send(this.#makeJoin());
  }

  #stop(why, refusal = null) {
    this.close();
    if (!this.#isSecond) this.#joinFields = WATCH;
    this.#listener.onOutside(why, refusal);
  }

  #changeState(state) {
    this.#inside = false;
    // The token is useless only now: a `leave` can get lost, or be refused.
    const hasLeft = this.#leaving && state.code === 1000;
    this.#leaving &&= state.state === "connecting" || state.state === "open";
    if (hasLeft) {
      forgetToken(this.#room, this.#isSecond);
      return this.#isSecond ? this.#stop("left") : this.enter();
    }
    if (state.state !== "ended") return this.#listener.onState(state);
    if (state.code === 4001) return this.#stop("elsewhere");
    if (state.code === 4003) return this.#stop("removed");
    return this.#stop("refused", state.goodbye);
  }
}
