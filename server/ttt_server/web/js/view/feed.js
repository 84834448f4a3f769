// Events and chat as they come: a live region, which a screen reader reads out.

import { t } from "../model/language.js";
import { isolated } from "../model/words.js";
import { h } from "./dom.js";

const MOST_LINES = 400;

export class Feed {
  #list = h("div", { class: "lines-list", role: "log", "aria-label": t("feed.log"), tabindex: "0" });
  #input = h("input", {
    name: "text",
    maxlength: "200",
    autocomplete: "off",
    "aria-label": t("feed.say"),
    placeholder: t("feed.say"),
  });

  /** `say(text)` sends a text, and returns whether it was sent. */
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
      h("button", { type: "submit" }, t("feed.send")),
    );
    this.element = h("section", { class: "feed", "aria-label": t("feed") }, this.#list, form);
  }

  /** Add lines as `narrateUpdate` gives them. */
  add(lines) {
    for (const { kind, seat, text } of lines)
      this.#append(h("p", { class: `line ${kind} ${seat ?? ""}`, dir: "auto" }, text));
  }

  addNote(text) {
    this.add([{ kind: "note", text }]);
  }

  addChat({ name, role, text }) {
    const speaker = role === "spectator" ? t("feed.watching", { name: isolated(name) }) : isolated(name);
    this.#append(h("p", { class: "line said" }, h("b", {}, speaker), " ", h("bdi", {}, text)));
  }

  clear() {
    this.#list.replaceChildren();
  }

  #append(line) {
    const list = this.#list;
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    list.append(line);
    while (list.childElementCount > MOST_LINES) list.firstChild.remove();
    if (atEnd) list.scrollTop = list.scrollHeight;
  }
}
