// A game as a picture: drawn as the board is, and written as SVG or painted on a canvas.

import { BoardSvg } from "./board_svg.js";
import { h, s } from "./dom.js";

const [MARGIN, LINE] = [20, 34]; // in pixels: around the board, and the height of a line of text
const SHORT_SIDE = 360; // of a board, about
const FONT = "system-ui, sans-serif";
const INHERITED = ["fill", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-opacity", "opacity", "display"];

export class Picture {
  #board;
  #words;
  #place;
  #size;

  /** `words`: a line above the board, and one below it. */
  constructor(rules, words) {
    this.#board = new BoardSvg(rules);
    this.#words = words;
    // Its styles apply in the page alone, where nobody sees it.
    this.#place = h("div", { class: "still", "aria-hidden": "true" }, this.#board.element);
    document.body.append(this.#place);
  }

  /** Wait until it can be drawn. */
  async prepare() {
    await this.#board.ready;
    const { width, height } = this.#board.element.viewBox.baseVal;
    const scale = Math.min(9.6, Math.max(2.2, SHORT_SIDE / Math.min(width, height)));
    this.#size = { width: Math.round(width * scale), height: Math.round(height * scale) };
  }

  close() {
    this.#place.remove();
  }

  get width() {
    return this.#size.width + 2 * MARGIN;
  }

  get height() {
    return this.#size.height + 2 * MARGIN + 2 * LINE;
  }

  /** Draw a position, as a board does, and wait until all of it is drawn. */
  async draw(position) {
    this.#board.draw(position);
    await this.#board.later;
  }

  /** The picture as an SVG document, which needs no style of ours. */
  svg() {
    const { width, height } = this;
    const board = inlined(this.#board.element);
    for (const [name, value] of Object.entries({ x: MARGIN, y: MARGIN + LINE, ...this.#size })) board.setAttribute(name, value);
    const { ground, ink } = this.#colours();
    const line = ({ text, y, size }) => s("text", { x: width / 2, y, fill: ink, "font-family": FONT, "font-size": size, "font-weight": 600, "text-anchor": "middle" }, text);
    const document_ = s("svg", { width, height, viewBox: `0 0 ${width} ${height}` }, s("rect", { width, height, fill: ground }), ...this.#lines().map(line), board);
    return new XMLSerializer().serializeToString(document_);
  }

  /** Paint the picture on a canvas of its size, or larger by a factor. */
  paint(canvas, factor = 1) {
    const { width, height } = this;
    Object.assign(canvas, { width: width * factor, height: height * factor });
    const context = canvas.getContext("2d", { willReadFrequently: true });
    const { ground, ink } = this.#colours();
    context.scale(factor, factor);
    context.fillStyle = ground;
    context.fillRect(0, 0, width, height);
    context.fillStyle = ink;
    context.textAlign = "center";
    for (const { text, y, size } of this.#lines()) {
      context.font = `600 ${size}px ${FONT}`;
      context.fillText(text, width / 2, y, width - MARGIN);
    }
    context.translate(MARGIN, MARGIN + LINE);
    const scale = this.#size.width / this.#board.element.viewBox.baseVal.width;
    context.scale(scale, scale);
    paint(context, this.#board.element);
    return context;
  }

  #colours() {
    const { backgroundColor: ground, color: ink } = getComputedStyle(document.body);
    return { ground, ink };
  }

  #lines() {
    const sized = (text, y) => ({ text, y, size: Math.min(18, (1.7 * this.#size.width) / Math.max(text.length, 1)) });
    return [sized(this.#words[0], MARGIN + LINE / 2), sized(this.#words[1], this.height - MARGIN - LINE / 4)];
  }
}

/** A copy that has the styles of the page as attributes. */
function inlined(element) {
  const copy = element.cloneNode(true);
  const copies = [copy, ...copy.querySelectorAll("*")];
  for (const [index, original] of [element, ...element.querySelectorAll("*")].entries()) {
    const style = getComputedStyle(original);
    for (const name of INHERITED) copies[index].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "pathLength", "aria-hidden"]) copies[index].removeAttribute(name);
  }
  for (const each of copies) if (each.getAttribute("display") === "none") each.remove();
  copy.setAttribute("display", "inline");
  return copy;
}

/** Paint an element, and those in it, with their styles. */
function paint(context, element) {
  const style = getComputedStyle(element);
  if (style.display === "none") return;
  context.save();
  const matrix = element.transform?.baseVal.consolidate()?.matrix;
  if (matrix) context.transform(matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f);
  context.globalAlpha *= Number(style.opacity);
  const path = pathOf(element);
  if (path && style.fill !== "none") {
    context.fillStyle = style.fill;
    context.fill(path);
  }
  if (path && style.stroke !== "none") {
    context.globalAlpha *= Number(style.strokeOpacity);
    context.strokeStyle = style.stroke;
    context.lineWidth = parseFloat(style.strokeWidth);
    context.lineCap = style.strokeLinecap;
    context.lineJoin = style.strokeLinejoin;
    context.stroke(path);
  }
  for (const child of element.children) paint(context, child);
  context.restore();
}

/** The outline of a shape; null for a group. */
function pathOf(element) {
  const at = (name) => Number(element.getAttribute(name) ?? 0);
  switch (element.localName) {
    case "path":
      return new Path2D(element.getAttribute("d"));
    case "circle": {
      const path = new Path2D();
      path.arc(at("cx"), at("cy"), at("r"), 0, 2 * Math.PI);
      return path;
    }
    case "rect": {
      const path = new Path2D();
      path.roundRect(at("x"), at("y"), at("width"), at("height"), at("rx"));
      return path;
    }
    default:
      return null;
  }
}
