// A tree of positions as a picture: a box for each, with − = + once its value is known, the skipped ones dashed.

import { t } from "../../model/language.js";
import { cellName } from "../../model/words.js";
import { h, s } from "../dom.js";

const RULES = { columns: 3, rows: 3, in_a_row: 3 };
const [WIDTH, HEIGHT, BOX] = [54, 92, 40];
const SIGNS = { "-1": "M-7 0H7", 0: "M-7 -4H7M-7 4H7", 1: "M-7 0H7M0 -7V7" };
const KINDS = { "-1": "loses", 0: "draws", 1: "wins" };

export class TreePicture {
  #root;
  #boxes = new Map();

  /** `choose(node)` is called for a press on a box whose value is known. */
  constructor(root) {
    this.#root = root;
    const [edges, boxes] = [s("g", { class: "edges" }), s("g", {})];
    const { width, depth } = this.#place(root, 0, edges, boxes);
    const svg = s(
      "svg",
      { viewBox: `0 0 ${width} ${depth * HEIGHT + BOX + 26}`, role: "img", "aria-label": t("learn.tree") },
      edges,
      boxes,
    );
    svg.style.minWidth = `${width * 0.72}px`;
    svg.style.maxWidth = `${width * 1.3}px`;
    this.element = h("div", { class: "tree", tabindex: "0", role: "group", "aria-label": t("learn.tree") }, svg);
  }

  /** Show the values of these nodes, and mark the one that is asked about or was valued last. */
  show(known, current) {
    for (const [node, box] of this.#boxes) {
      const isKnown = known.has(node);
      box.setAttribute("class", ["box", isKnown ? KINDS[node.value] : node.value === null ? "skipped" : "", node === current ? "current" : ""].join(" "));
      box.querySelector(".sign").setAttribute("d", isKnown ? SIGNS[node.value] : "");
      box.querySelector(".asked").textContent = node === current && !isKnown ? "?" : "";
    }
    const box = this.#boxes.get(current);
    const { left, right } = box.getBoundingClientRect();
    const frame = this.element.getBoundingClientRect();
    if (left < frame.left || right > frame.right) this.element.scrollLeft += (left + right - frame.left - frame.right) / 2;
  }

  /** Draw a node and those below it, from this many places on; the places that they take. */
  #place(node, from, edges, boxes) {
    let [at, depth] = [from, node.depth];
    const middles = [];
    for (const child of node.children) {
      const below = this.#place(child, at, edges, boxes);
      middles.push(below.middle);
      at = below.end;
      depth = Math.max(depth, below.depth);
    }
    if (!node.children.length) at += 1;
    const middle = middles.length ? (middles[0] + middles[middles.length - 1]) / 2 : (from + 0.5) * WIDTH;
    const top = node.depth * HEIGHT + 24;
    node.children.forEach((child, index) => {
      const kind = child.value === null ? "skipped" : "";
      edges.append(s("path", { class: kind, d: `M${middle} ${top + BOX}L${middles[index]} ${top + HEIGHT - 24}` }));
    });
    boxes.append(this.#box(node, middle, top));
    return { middle, end: at, depth, width: at * WIDTH };
  }

  #box(node, middle, top) {
    const name = node.cell === null ? "" : cellName(node.cell, RULES);
    const box = s(
      "g",
      { class: "box", transform: `translate(${middle} ${top})` },
      s("text", { class: node.depth % 2 === (this.#isX ? 1 : 0) ? "move X" : "move O", y: -7 }, name),
      s("rect", { x: -BOX / 2, width: BOX, height: BOX, rx: 9 }),
      s("path", { class: "sign", transform: `translate(0 ${BOX / 2})`, d: "" }),
      s("text", { class: "asked", y: BOX / 2 + 7 }),
    );
    this.#boxes.set(node, box);
    return box;
  }

  /** Whether X is to move at the root. */
  get #isX() {
    return [...this.#root.board].filter((mark) => mark !== ".").length % 2 === 0;
  }
}
