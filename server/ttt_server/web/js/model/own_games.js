// @ts-check
// The games of a person in words. Pure.

import { currentLanguage, t } from "./language.js";
import { becauseWords, nameOf, rulesWords } from "./words.js";

const UNITS = /** @type {const} */ ([
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
]);

/** A span of time as `2 days` or `5 hours`, in whole units, at least a minute. */
export function spanWords(ms) {
  const [unit, length] = UNITS.find(([, each]) => ms >= each) ?? UNITS[2];
  const count = Math.max(1, Math.floor(ms / length));
  return new Intl.NumberFormat(currentLanguage(), { style: "unit", unit, unitDisplay: "long" }).format(count);
}

/** A day as `26 November 2026`. */
export const dayWords = (at) => new Intl.DateTimeFormat(currentLanguage(), { dateStyle: "long" }).format(at);

/** The same short, with the time of today's. */
function momentWords(at, now) {
  const day = new Intl.DateTimeFormat(currentLanguage(), { dateStyle: "medium" });
  if (day.format(at) !== day.format(now)) return day.format(at);
  return new Intl.DateTimeFormat(currentLanguage(), { timeStyle: "short" }).format(at).replace(" ", "\u00a0");
}

/** The opponent's name; the computer by its strength. */
export function opponentWords({ opponent, rules }) {
  if (!opponent.person && opponent.name === "somebody") return t("me.somebody"); // who was forgotten
  return nameOf(opponent.strategy ? { kind: "ai", ...opponent } : opponent, rules);
}

/** What a game waits for or how it ended, for its person: `Your turn · 2 days left`. */
export function stateWords({ state, result, outcome, rules, falls_at: fallsAt }, now) {
  if (state === "finished") return t("pair", { what: t(`me.result.${result}`), of: becauseWords({ ...outcome, line: null }, rules) });
  const words = t(`me.state.${state}`);
  if (!fallsAt) return words;
  return `${words} · ${t("me.left", { time: spanWords(Math.max(0, fallsAt - now)) })}`;
}

/** The board, and when something last happened. */
export const factsWords = ({ rules, at, public: isPublic }, now) =>
  [rulesWords(rules), momentWords(at, now), isPublic === false ? t("me.private") : null].filter(Boolean).join(" · ");

/** The text of a refusal that has no words of its own here. */
export function troubleOf(status) {
  if (status === 429) return "me.slow_down";
  return status === 401 ? "me.signed_out" : "me.unreachable";
}
