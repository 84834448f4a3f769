// A connection that comes back: a socket after another to the same address, with pauses that grow. A
// silent one is noticed by questions of our own: a browser answers the server's pings by itself, and tells nothing.

const FIRST_PAUSE_S = 0.5;
const LONGEST_PAUSE_S = 15;
const STEADY_S = 10; // after a connection this long, pauses start small again
const DIAL_S = 10;
const QUIET_MS = 7_000; // without a message for this long, ask
const ANSWER_MS = 5_000; // without an answer for this long, the connection is dead
const LOOK_MS = 1_000;

/** Close codes that end all attempts. */
const FINAL = new Set([1000, 1008, 4001, 4002, 4003]);

export class Connection {
  #url;
  #listener;
  #socket = null;
  #timer = 0;
  #watchdog = 0;
  #pauseS = FIRST_PAUSE_S;
  #goodbye = null;
  #heardAt = 0;
  #askedAt = null;
  #latencyMs = null;

  /**
   * The listener has `firstCommand()`, called once per connection: a command or null;
   * `onMessage(message)`; `ask()`, which makes the server say anything; and `onState({ state, … })`:
   * "connecting", "open", "lost" with `retryAt` (in the ms of `performance.now()`) and `isSilent`,
   * "ended" with `code`. The last two carry `goodbye`, the server's message before it closed, or null.
   */
  constructor(url, listener) {
    this.#url = url;
    this.#listener = listener;
    addEventListener("online", () => this.#timer && this.dial());
    addEventListener("offline", () => this.#socket && this.#lose());
    // A device that has slept finds its socket dead, and does not wait for the next question to tell.
    addEventListener("visibilitychange", () => this.#socket && performance.now() - this.#heardAt > QUIET_MS + ANSWER_MS && this.dial());
    // The browser restores a cached page with dead sockets and late timers.
    addEventListener("pageshow", (event) => event.persisted && this.dial());
  }

  /** Connect now, in place of any current connection. */
  dial() {
    this.close();
    this.#listener.onState({ state: "connecting" });
    const socket = (this.#socket = new WebSocket(this.#url, "ttt.v1"));
    const since = performance.now();
    const timeout = setTimeout(() => this.#socket === socket && this.#lose({ isSilent: true }), DIAL_S * 1000);
    socket.onopen = () => {
      clearTimeout(timeout);
      this.heard();
      this.#watchdog = setInterval(() => this.#watch(), LOOK_MS);
      this.#listener.onState({ state: "open" });
      const command = this.#listener.firstCommand();
      if (command) this.send(command);
    };
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
    socket.onclose = ({ code, reason }) => {
      clearTimeout(timeout);
      if (performance.now() - since > STEADY_S * 1000) this.#pauseS = FIRST_PAUSE_S;
      const goodbye = this.#goodbye ?? (reason ? { code, reason } : null);
      if (FINAL.has(code)) this.#end(code, goodbye);
      else this.#lose({ goodbye });
    };
  }

  /** Send a command; false if no socket is open. True does not mean that it arrived. */
  send(command) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(command));
    return true;
  }

  /** Close, and do not dial again. */
  close() {
    clearTimeout(this.#timer);
    clearInterval(this.#watchdog);
    this.#timer = 0;
    this.#goodbye = null;
    this.#askedAt = null;
    this.#latencyMs = null;
    const socket = this.#socket;
    this.#socket = null;
    if (socket) {
      socket.onopen = () => socket.close();
      socket.onmessage = socket.onclose = null;
      // Browsers log an error for a close before the socket is open, so `onopen` closes it.
      if (socket.readyState !== WebSocket.CONNECTING) socket.close();
    }
  }

  /** Drop this connection, and dial again after a pause. */
  retry(goodbye) {
    this.#lose({ goodbye });
  }

  /** Note that the server has said something. */
  heard() {
    this.#heardAt = performance.now();
    if (this.#askedAt !== null) this.#latencyMs = this.#heardAt - this.#askedAt;
    this.#askedAt = null;
  }

  /** The latency that was measured last, or null, and for how long a question has no answer. */
  latency() {
    const waitsMs = this.#askedAt === null ? 0 : performance.now() - this.#askedAt;
    return { latencyMs: this.#latencyMs, waitsMs };
  }

  #watch() {
    const now = performance.now();
    if (this.#askedAt !== null) {
      if (now - this.#askedAt >= ANSWER_MS) this.#lose({ isSilent: true });
    } else if (now - this.#heardAt >= QUIET_MS) {
      this.#askedAt = now;
      this.#listener.ask();
    }
  }

  #receive(message) {
    this.heard();
    if (message.type === "goodbye") this.#goodbye = message;
    this.#listener.onMessage(message);
  }

  #lose({ goodbye = null, isSilent = false } = {}) {
    this.close();
    const jitter = 0.75 + Math.random() / 2; // spreads the reconnects of many clients
    const pauseMs = Math.max(this.#pauseS, goodbye?.retry_after_s ?? 0) * jitter * 1000;
    this.#pauseS = Math.min(this.#pauseS * 2, LONGEST_PAUSE_S);
    this.#timer = setTimeout(() => this.dial(), pauseMs);
    this.#listener.onState({ state: "lost", retryAt: performance.now() + pauseMs, goodbye, isSilent });
  }

  #end(code, goodbye) {
    this.close();
    this.#listener.onState({ state: "ended", code, goodbye });
  }
}
