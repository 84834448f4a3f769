// Ratings with their intervals on one scale, as SVG: a line for each interval, a dot for the rating.

import { s } from "../dom.js";

const WIDTH = 240;
const HEIGHT = 20;
const EDGE = 6;

/** The scale that shows all intervals of the standings, which have `elo` and `error`. */
export function scaleOf(standings) {
  const least = Math.min(...standings.map(({ elo, error }) => elo - error));
  const most = Math.max(...standings.map(({ elo, error }) => elo + error));
  return (elo) => EDGE + ((WIDTH - 2 * EDGE) * (elo - least)) / (most - least || 1);
}

/** The interval of a standing; `words` say the same. */
export function intervalPlot({ elo, error }, scale, words) {
  const middle = HEIGHT / 2;
  const line = { x1: scale(elo - error), x2: scale(elo + error), y1: middle, y2: middle };
  return s(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img", "aria-label": words },
    s("line", { ...line, stroke: "currentColor", "stroke-width": 2 }),
    s("circle", { cx: scale(elo), cy: middle, r: 4, fill: "currentColor" }),
  );
}

/** A rating with its interval, as engine testers write it: `+12 ± 30`. */
export function ratingWords({ elo, error }) {
  return `${elo < 0 ? "−" : "+"}${Math.abs(Math.round(elo))} ± ${Math.round(error)}`;
}
