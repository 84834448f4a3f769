// What is different on the board of a relative of the game, in words. Loaded where one is played.

import { optionalText, t } from "../model/language.js";
import { h, setText } from "./dom.js";
import { addPart } from "./page.js";
import { placeOf, sizeOf, smallOf } from "./relative.js";

await addPart("relative");

/** The line beside a board that says what is different, and what is to be done now. */
export class RuleLine {
  #element = h("p", { class: "rule-line" });
  #rules;

  /** `frame` has the board, and `cells` are its buttons, which stand where their marks are drawn. */
  constructor(rules, frame, cells) {
    this.#rules = rules;
    frame.append(this.#element);
    frame.style.setProperty("--rule", "2rem");
    const [width, height] = sizeOf(rules);
    if (width === rules.columns) return;
    frame.classList.add("apart", "small");
    frame.style.setProperty("--columns", width);
    frame.style.setProperty("--rows", height);
    cells.forEach((button, cell) => setPlace(button, placeOf(cell, rules), [width, height]));
  }

  /** The cell that an arrow key leads to. */
  step(cell, arrow) {
    return stepFrom(cell, arrow, this.#rules);
  }

  show(game) {
    const rule = optionalText(`relative.rule.${this.#rules.variant}`) ?? "";
    const more = game?.marks && !game.outcome ? t("relative.marks", { count: game.marks }) : null;
    const where = game?.legal && !game.outcome ? this.#whereToPlay(game.legal) : null;
    setText(this.#element, more ?? where ?? rule);
  }

  /** What a cell is beside its name and mark; null for nothing. */
  about(cell, game) {
    if (game?.boards) {
      const words = t(`relative.small.${smallOf(cell)}`);
      return game.legal?.includes(cell) ? t("relative.may_play", { board: words }) : words;
    }
    return Object.values(game?.leaving ?? {}).includes(cell) ? t("relative.leaves") : null;
  }

  #whereToPlay(legal) {
    const smalls = new Set(legal.map(smallOf));
    if (this.#rules.variant !== "ultimate" || !smalls.size) return null;
    return smalls.size === 1 ? t("relative.play_in", { board: t(`relative.small.${[...smalls][0]}`) }) : t("relative.play_any");
  }
}

function setPlace({ style }, [x, y], [width, height]) {
  const percent = (part, whole) => `${(100 * part) / whole}%`;
  [style.left, style.top] = [percent(x, width), percent(y, height)];
  [style.width, style.height] = [percent(1, width), percent(1, height)];
}

/** The cell that an arrow key leads to; the same one at an edge, but on a torus the other side. */
function stepFrom(cell, [dx, dy], rules) {
  const { columns, rows, variant } = rules;
  const [x, y] = placeOf(cell, rules);
  if (variant === "torus") return ((y + dy + rows) % rows) * columns + ((x + dx + columns) % columns);
  const ahead = Array.from({ length: columns * rows }, (_, each) => [each, placeOf(each, rules)]).filter(
    ([, [left, top]]) => (dx ? top === y && (left - x) * dx > 0 : left === x && (top - y) * dy > 0),
  );
  const far = ([, [left, top]]) => Math.abs(left - x) + Math.abs(top - y);
  return ahead.sort((a, b) => far(a) - far(b))[0]?.[0] ?? cell;
}
