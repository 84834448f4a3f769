// A lesson by its name. What each needs is loaded with it.

import { Frame } from "./frame.js";

const STRATEGIES = { rules: "rules", counts: "brute", lines: "lines", memory: "learner" };

/** The element of a lesson. */
export async function makeLesson(name) {
  let frame = null;
  const happened = (happening) => frame?.happened(happening);
  const { board, panel } = await partsOf(name, happened);
  frame = new Frame(name, board, panel);
  return frame.element;
}

async function partsOf(name, happened) {
  if (name === "ahead") {
    const { Ahead } = await import("./ahead.js");
    return new Ahead(happened);
  }
  if (name === "strength") {
    const { Strength } = await import("./strength.js");
    return new Strength(happened);
  }
  if (name === "ultimate") {
    const { Ultimate } = await import("./ultimate.js");
    return new Ultimate(happened);
  }
  const { Duel } = await import("./duel.js");
  return new Duel(name, STRATEGIES[name], happened, name === "memory");
}
