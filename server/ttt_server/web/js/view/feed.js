// What happened and what was said, as it comes: a live region, which a screen reader reads out.

import { isolated } from "../model/words.js";
import { h } from "./dom.js";

const MOST_LINES = 400;

export class Feed {
  #list = h("div", { class: "lines-list", role: "log", "aria-label": "Moves and chat", tabindex: "0" });
  #input = h("input", {
    name: "text",
    maxlength: "200",
    autocomplete: "off",
    "aria-label": "Say something",
    placeholder: "Say something",
  });

  /** `say(text)` sends what was typed, and tells whether it went out. */
  constructor(say) {
    const form = h(
      "form",
      {
        class: "say",
        onsubmit: (event) => {
          event.preventDefault();
          const text = this.#input.value.trim();
          if (text && say(text)) this.#input.value = "";
        },
      },
      this.#input,
      h("button", { type: "submit" }, "Send"),
    );
    this.element = h("section", { class: "feed", "aria-label": "What happens" }, this.#list, form);
  }

  /** Lines as `storyOf` gives them. */
  tell(lines) {
    for (const { kind, seat, text } of lines)
      this.#add(h("p", { class: `line ${kind} ${seat ?? ""}`, dir: "auto" }, text));
  }

  note(text) {
    this.tell([{ kind: "note", text }]);
  }

  said({ name, role, text }) {
    const who = role === "spectator" ? `${isolated(name)} (watching)` : isolated(name);
    this.#add(h("p", { class: "line said" }, h("b", {}, who), " ", h("bdi", {}, text)));
  }

  clear() {
    this.#list.replaceChildren();
  }

  #add(line) {
    const list = this.#list;
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    list.append(line);
    while (list.childElementCount > MOST_LINES) list.firstChild.remove();
    if (atEnd) list.scrollTop = list.scrollHeight;
  }
}
