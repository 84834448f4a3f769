// Making a room from outside of it.

import { socketUrl } from "./address.js";
import { Connection } from "./connection.js";
import { forgetToken, newClaimKey, recallToken, rememberToken } from "./token_store.js";

/** Where a connection was lost after the join, the room may have been made: try this many more. */
const MORE_DIALS = 4;

/**
 * Make a room and store the token of the seat; then `done()`, or `refused(refusal)`, which has just the
 * code "unreachable" without an answer. A stored token gets its own seat back: the token of a second
 * seat would overwrite it.
 */
export function createRoom(room, joinFields, { done, refused }) {
  const claimKey = newClaimKey();
  let hasAsked = false;
  let dials = 0;
  const firstCommand = () => {
    hasAsked = true;
    const token = recallToken(room);
    return token
      ? { type: "join", token, settings: joinFields.settings }
      : { type: "join", claim_key: claimKey, ...joinFields };
  };
  const maker = new Connection(socketUrl(`rooms/${room}`), {
    firstCommand,
    onMessage: (message) => {
      if (message.type === "welcome") {
        if (message.you.token) rememberToken(room, message.you.token);
        maker.close();
        done();
      } else if (message.code === "bad_token") {
        forgetToken(room);
        maker.send(firstCommand());
      } else if (message.type === "refused") {
        maker.close();
        refused({ ...message, command: "create" }); // it has words of its own
      }
    },
    onState: ({ state }) => {
      if (state !== "lost" && state !== "ended") return;
      if (state === "lost" && hasAsked && (dials += 1) <= MORE_DIALS) return; // it dials again by itself
      maker.close();
      refused({ code: "unreachable" });
    },
    ask: () => {}, // the answer to the join is due
  });
  maker.dial();
}
