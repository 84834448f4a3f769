// Links to the seats of rooms that are not made yet: the part behind the #. Pure.

import { boardOf } from "./boards.js";
import { boardName } from "./strength.js";

/**
 * The `join` that a link to a seat asks for, `#seat=X&name=Ada&rules=7x6x4g&clock=300%2B2&delay=60&opening=pie`; null for
 * another link. The room is private, and the first of its players to come makes it.
 */
export function parseSeatLink(hash) {
  const words = new URLSearchParams(hash.slice(1));
  const seat = words.get("seat");
  if (seat !== "X" && seat !== "O") return null;
  const settings = { public: false };
  const rules = boardOf(words.get("rules") ?? "");
  if (rules) settings.rules = rules;
  const clock = /^([\d.]+)[+ ]([\d.]+)$/.exec(words.get("clock") ?? "");
  if (clock) settings.clock = { initial_s: Number(clock[1]), increment_s: Number(clock[2]) };
  if (words.has("delay")) settings.delay_s = Number(words.get("delay"));
  if (/^(pie|swap2)$/.test(words.get("opening"))) settings.opening = words.get("opening");
  return { role: "player", seat, settings, ...(words.get("name") ? { name: words.get("name") } : {}) };
}

/** The part behind the # of a link to a seat, as `parseSeatLink` reads it. */
export function seatWords(seat, name, { rules, clock, delay_s: delay, opening }) {
  const words = new URLSearchParams({ seat, name, rules: boardName(rules) });
  if (clock) words.set("clock", `${clock.initial_s}+${clock.increment_s}`);
  if (delay) words.set("delay", delay);
  if (opening) words.set("opening", opening);
  return words.toString();
}
