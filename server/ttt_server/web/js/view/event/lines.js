// The rows of a table or a list that changes under the reader: what stays the same stays the same
// element, so that no focus, no open choice and no question is lost.

import { h, setChildren } from "../dom.js";

export class Lines {
  #tag;
  #parent;
  #lines = new Map(); // by key

  /** Lines of this tag, as the children of `parent`. */
  constructor(tag, parent) {
    this.#tag = tag;
    this.#parent = parent;
  }

  /**
   * Show these lines in order: `{key, kind, parts, version, more}`. `parts` are elements or text, and none
   * of them has a listener. `more()` gives what follows them, or null; it is asked again for another `version`.
   */
  show(lines) {
    const focused = document.activeElement;
    const shown = new Map(lines.map((line) => [line.key, this.#shown(line)]));
    this.#lines = shown;
    setChildren(this.#parent, [...shown.values()].map(({ element }) => element));
    // A line that has moved has lost the focus.
    if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
  }

  #shown({ key, kind, parts, version, more }) {
    const old = this.#lines.get(key);
    const element = old?.element ?? h(this.#tag);
    const rest = old?.version === version ? old.rest : more();
    if (kind) element.className = kind;
    else element.removeAttribute("class");
    become(element, rest ? [...parts, rest] : parts);
    return { element, version, rest };
  }
}

/** Make these the children of an element; a child that looks the same already is kept. */
export function become(element, children) {
  children.forEach((child, place) => {
    const old = element.childNodes[place];
    if (!old) element.append(child);
    else if (old !== child && (child.isConnected || !old.isEqualNode(child))) old.replaceWith(child);
  });
  while (element.childNodes.length > children.length) element.lastChild.remove();
}
