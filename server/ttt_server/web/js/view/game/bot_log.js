// The log of a bot for one move: its reason, values, times, and standard error.

import { t } from "../../model/language.js";
import { cellName } from "../../model/words.js";
import { h } from "../dom.js";

const MOST_VALUES = 12;

/** Show the log of a move in a section; hide the section where there is none. */
export function showBotLog(section, move, rules) {
  section.hidden = !move?.log;
  section.replaceChildren(...(move?.log ? parts(move.log, rules) : []));
}

function parts({ reason, values, time_ms: timeMs, round_trip_ms: roundTripMs, stderr }, rules) {
  const rows = [
    reason === undefined ? null : [t("log.reason"), reason],
    timeMs === undefined ? null : [t("log.time"), `${timeMs} ms`],
    roundTripMs === undefined ? null : [t("log.round_trip"), `${roundTripMs} ms`],
    values === undefined ? null : [t("log.values"), valueWords(values, rules)],
  ].filter(Boolean);
  return [
    h("h2", {}, t("log.title")),
    h("dl", {}, ...rows.flatMap(([name, words]) => [h("dt", {}, name), h("dd", { dir: "auto" }, words)])),
    ...(stderr ? [h("pre", { tabindex: "0", "aria-label": t("log.stderr") }, stderr)] : []),
  ];
}

/** The best values first: `b2 0.5, a1 -1`. */
function valueWords(values, rules) {
  const cells = rules.columns * rules.rows;
  return Object.entries(values)
    .filter(([cell]) => Number(cell) < cells)
    .sort(([, one], [, other]) => other - one)
    .slice(0, MOST_VALUES)
    .map(([cell, value]) => `${cellName(Number(cell), rules)} ${value}`)
    .join(", ");
}
