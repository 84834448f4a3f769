// What the server's strategies think of a position, step by step.

import { parseTrace } from "../../model/thinking.js";
import { fetchText } from "../../net/address.js";

const TRIES = 4; // a server that is busy, as with a class, is asked again
const PAUSE_MS = 700;

/**
 * The steps of a thought: `{counts, steps}`, where `counts` are the sizes of three searches of the position,
 * if asked for. Null without an answer, and after the `signal`.
 */
export async function think(query, strategy, signal) {
  for (let tries = 0; tries < TRIES; tries++) {
    const text = await fetchText(`trace?${query}&strategy=${encodeURIComponent(strategy)}`, signal);
    if (text) return readSteps(parseTrace(text).slice(1));
    if (signal?.aborted) return null;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return null;
}

const readSteps = (steps) => ({
  counts: steps.find(({ step }) => step === "node_counts") ?? null,
  steps: steps.filter(({ step }) => step !== "node_counts"),
  decision: steps[steps.length - 1],
});
