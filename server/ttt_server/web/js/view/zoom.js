// A large board on a small screen: the whole of it, or a part that a finger can play on.

import { t } from "../model/language.js";
import { h, setText } from "./dom.js";

export const FINGER_PX = 32; // a finger cannot choose among smaller cells

export class Zoom {
  #frame;
  #place;
  #cell;
  #isIn = matchMedia("(pointer: coarse)").matches;
  #fittedTo = "";
  #seen;

  /** `frame`: gets the class "zoomed"; `place`: is scrolled; `cell`: any cell of the board. */
  constructor(frame, place, cell) {
    this.#frame = frame;
    this.#place = place;
    this.#cell = this.#seen = cell;
    this.button = h("button", { type: "button", class: "zoom", hidden: true, onclick: () => this.#change() });
    addEventListener("resize", () => {
      const isAfter = this.#fittedTo !== "";
      this.fit();
      if (isAfter) this.centre(this.#seen);
    });
    // What is in view when a finger has scrolled is what stays in view when the device is turned.
    place.addEventListener("scrollend", () => (this.#seen = this.#middle() ?? this.#seen));
  }

  /** Find out whether the whole board's cells are too small. Call it whenever the board is shown. */
  fit() {
    const size = `${innerWidth} ${innerHeight} ${this.#place.clientWidth} ${this.#frame.style.cssText}`; // its columns
    if (size === this.#fittedTo || this.#place.clientWidth === 0) return;
    this.#fittedTo = size;
    this.#frame.classList.remove("zoomed", "zoomable");
    const isSmall = this.#cell.getBoundingClientRect().width < FINGER_PX;
    this.#frame.classList.toggle("zoomable", isSmall);
    this.#show();
  }

  set(isIn) {
    this.#isIn = isIn;
    this.#show();
  }

  /** Scroll the place to a cell in the middle of it, and nothing else. */
  centre(cell) {
    this.#seen = cell;
    const [seen, there] = [this.#place.getBoundingClientRect(), cell.getBoundingClientRect()];
    this.#place.scrollLeft += (there.left + there.right - seen.left - seen.right) / 2;
    this.#place.scrollTop += (there.top + there.bottom - seen.top - seen.bottom) / 2;
  }

  /** The cell in the middle of the place. */
  #middle() {
    const { left, top, width, height } = this.#place.getBoundingClientRect();
    const under = document.elementsFromPoint(left + width / 2, top + height / 2);
    return under.find((element) => this.#place.contains(element) && element.matches("[data-cell]"));
  }

  /** The same, if the cell is not wholly visible. */
  reveal(cell) {
    this.#seen = cell;
    const [seen, there] = [this.#place.getBoundingClientRect(), cell.getBoundingClientRect()];
    const isSeen =
      there.left >= seen.left && there.right <= seen.right && there.top >= seen.top && there.bottom <= seen.bottom;
    if (!isSeen) this.centre(cell);
  }

  #change() {
    this.set(!this.#isIn);
    this.centre(this.#seen);
  }

  #show() {
    const isZoomable = this.#frame.classList.contains("zoomable");
    this.#frame.classList.toggle("zoomed", isZoomable && this.#isIn);
    this.button.hidden = !isZoomable;
    setText(this.button, t(this.#isIn ? "zoom.out" : "zoom.in"));
  }
}
