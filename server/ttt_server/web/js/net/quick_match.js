// A search for the next player who wants the same board.

import { socketUrl } from "./address.js";
import { Connection } from "./connection.js";
import { rememberToken } from "./token_store.js";

/** Any command but `seek` is refused, and so always answered: a question to a silent server. */
const QUESTION = { type: "join", id: "page-line" };

export class QuickMatch {
  #connection;
  #wanted;

  /**
   * `wanted`: the fields of a `seek`. The listener has `offered({strategy, level})`, an AI that would play;
   * `paired(room)`, in which a seat is held, with its token stored; `refused(refusal)`.
   */
  constructor(wanted, { offered, paired, refused }) {
    this.#wanted = wanted;
    this.#connection = new Connection(socketUrl("play"), {
      firstCommand: () => this.#seek(),
      onMessage: (message) => {
        if (message.type === "ai_offered") offered(message);
        else if (message.type === "paired") {
          rememberToken(message.room, message.token);
          this.stop();
          paired(message.room);
        } else if (message.type === "refused" && message.id !== QUESTION.id) refused(message);
      },
      onState: ({ state }) => ["lost", "ended"].includes(state) && refused({ code: "unreachable" }),
      ask: () => this.#connection.send(QUESTION),
    });
    this.#connection.dial();
  }

  /** Play the AI that offered itself. */
  takeAi() {
    this.#wanted = { ...this.#wanted, ai: true };
    this.#connection.send(this.#seek());
  }

  stop() {
    this.#connection.close();
  }

  #seek() {
    return { type: "seek", ...this.#wanted };
  }
}
