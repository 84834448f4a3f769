// One socket after another to the same address, with pauses that grow.

const FIRST_PAUSE_S = 0.5;
const LONGEST_PAUSE_S = 15;
const STEADY_S = 10; // after a connection this long, pauses start small again
const DIAL_S = 10;

/** Close codes that end all attempts. */
const FINAL = new Set([1000, 1008, 4001, 4002]);

export class Connection {
  #url;
  #listener;
  #socket = null;
  #timer = 0;
  #pauseS = FIRST_PAUSE_S;
  #retryAfterS = 0;
  #reason = "";

  /**
   * The listener has `firstCommand()`, called once per connection: a command or null;
   * `onMessage(message)`; and `onState({ state, … })`: "connecting", "open", "lost" with `pauseS`,
   * "ended" with `code`. The last two carry the server's `reason` if it gave one.
   */
  constructor(url, listener) {
    this.#url = url;
    this.#listener = listener;
    addEventListener("online", () => this.#timer && this.dial());
    addEventListener("offline", () => this.#socket && this.#lose());
    // The browser restores a cached page with dead sockets and late timers.
    addEventListener("pageshow", (event) => event.persisted && this.dial());
  }

  /** Connect now, in place of any current connection. */
  dial() {
    this.close();
    this.#listener.onState({ state: "connecting" });
    const socket = (this.#socket = new WebSocket(this.#url, "ttt.v1"));
    const since = performance.now();
    const timeout = setTimeout(() => socket.close(), DIAL_S * 1000);
    socket.onopen = () => {
      clearTimeout(timeout);
      this.#listener.onState({ state: "open" });
      const command = this.#listener.firstCommand();
      if (command) this.send(command);
    };
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
    socket.onclose = ({ code, reason }) => {
      clearTimeout(timeout);
      if (performance.now() - since > STEADY_S * 1000) this.#pauseS = FIRST_PAUSE_S;
      if (FINAL.has(code)) this.#end(code, this.#reason || reason);
      else this.#lose(this.#reason || reason);
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
    this.#timer = 0;
    this.#reason = "";
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
  retry(reason) {
    this.#lose(reason);
  }

  #receive(message) {
    if (message.type === "goodbye") {
      this.#reason = message.reason;
      this.#retryAfterS = message.retry_after_s ?? 0;
    }
    this.#listener.onMessage(message);
  }

  #lose(reason = "") {
    this.close();
    const jitter = 0.75 + Math.random() / 2; // spreads the reconnects of many clients
    const pauseS = Math.max(this.#pauseS, this.#retryAfterS) * jitter;
    this.#pauseS = Math.min(this.#pauseS * 2, LONGEST_PAUSE_S);
    this.#retryAfterS = 0;
    this.#timer = setTimeout(() => this.dial(), pauseS * 1000);
    this.#listener.onState({ state: "lost", pauseS, reason });
  }

  #end(code, reason) {
    this.close();
    this.#listener.onState({ state: "ended", code, reason });
  }
}
