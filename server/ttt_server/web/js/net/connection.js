// One socket after another to the same address: dials, backs off, says what it does.

const FIRST_PAUSE_S = 0.5;
const LONGEST_PAUSE_S = 15;
const STEADY_S = 10; // a connection that lived so long was a good one: pauses begin anew
const DIAL_S = 10;

/** Close codes after which nothing is tried again. */
const FINAL = new Set([1000, 1008, 4001, 4002]);

export class Connection {
  #url;
  #ear;
  #socket = null;
  #timer = 0;
  #pauseS = FIRST_PAUSE_S;
  #retryAfterS = 0;
  #words = "";

  /**
   * The ear has `greet()`: the first command of each connection, or null; `hear(message)`; and
   * `tell({ state, … })`: "connecting", "open", "lost" with `pauseS`, "ended" with `code`; the last
   * two with the server's `words`, if it gave any.
   */
  constructor(url, ear) {
    this.#url = url;
    this.#ear = ear;
    addEventListener("online", () => this.#timer && this.dial());
    addEventListener("offline", () => this.#socket && this.#lose());
    // A page that is put away is woken with its sockets dead and its timers late.
    addEventListener("pageshow", (event) => event.persisted && this.dial());
  }

  /** Connects now, in place of any connection there is. */
  dial() {
    this.hangUp();
    this.#ear.tell({ state: "connecting" });
    const socket = (this.#socket = new WebSocket(this.#url, "ttt.v1"));
    const since = performance.now();
    const patience = setTimeout(() => socket.close(), DIAL_S * 1000);
    socket.onopen = () => {
      clearTimeout(patience);
      this.#ear.tell({ state: "open" });
      const greeting = this.#ear.greet();
      if (greeting) this.send(greeting);
    };
    socket.onmessage = ({ data }) => this.#hear(JSON.parse(data));
    socket.onclose = ({ code, reason }) => {
      clearTimeout(patience);
      if (performance.now() - since > STEADY_S * 1000) this.#pauseS = FIRST_PAUSE_S;
      if (FINAL.has(code)) this.#end(code, this.#words || reason);
      else this.#lose(this.#words || reason);
    };
  }

  /** Whether the command went out; it may be lost all the same. */
  send(command) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(command));
    return true;
  }

  /** Closes without another try. */
  hangUp() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#words = "";
    const socket = this.#socket;
    this.#socket = null;
    if (socket) {
      socket.onopen = () => socket.close();
      socket.onmessage = socket.onclose = null;
      // To close one that is not open yet is an error to the browser: it is closed when it is.
      if (socket.readyState !== WebSocket.CONNECTING) socket.close();
    }
  }

  /** Gives this connection up, and tries again after a pause. */
  retry(words) {
    this.#lose(words);
  }

  #hear(message) {
    if (message.type === "goodbye") {
      this.#words = message.reason;
      this.#retryAfterS = message.retry_after_s ?? 0;
    }
    this.#ear.hear(message);
  }

  #lose(words = "") {
    this.hangUp();
    const jitter = 0.75 + Math.random() / 2; // so that a crowd does not come back all at once
    const pauseS = Math.max(this.#pauseS, this.#retryAfterS) * jitter;
    this.#pauseS = Math.min(this.#pauseS * 2, LONGEST_PAUSE_S);
    this.#retryAfterS = 0;
    this.#timer = setTimeout(() => this.dial(), pauseS * 1000);
    this.#ear.tell({ state: "lost", pauseS, words });
  }

  #end(code, words) {
    this.hangUp();
    this.#ear.tell({ state: "ended", code, words });
  }
}
