// Events and chat as they come: a live region, which a screen reader reads out.

import { t } from "../../model/language.js";
import { isolated } from "../../model/words.js";
import { h, setText } from "../dom.js";

const MOST_LINES = 400;
const TABS = ["moves", "chat", "why"];

export class Feed {
  #list = h("div", { class: "lines-list", role: "log", "aria-label": t("feed.log"), tabindex: "0" });
  #input = h("input", {
    name: "text",
    maxlength: "200",
    autocomplete: "off",
    "aria-label": t("feed.say"),
    placeholder: t("feed.say"),
  });
  #form;
  #off = h("p", { class: "chat-off", hidden: true });
  #tabs;
  #unread = 0;
  #hasChat = true;
  #menuOf;
  #known = new Set();
  #sent = "";
  #lineOf = new WeakMap();
  #events = [];
  #thinkers = { thinkers: [], rules: null };
  #why = null;

  /**
   * `say(text)` sends a text, and returns whether it was sent. `menuOf(line)` gives an element that
   * stands behind a message of the chat, or null.
   */
  constructor(say, menuOf = () => null) {
    this.#menuOf = menuOf;
    this.#form = h(
      "form",
      {
        class: "say",
        onsubmit: (event) => {
          event.preventDefault();
          const text = this.#input.value.trim();
          if (!text || !say(text)) return;
          this.#sent = text;
          this.#input.value = "";
        },
      },
      this.#input,
      h("button", { type: "submit" }, t("feed.send")),
    );
    this.#tabs = TABS.map((tab) =>
      h("button", { type: "button", class: "tab", "aria-pressed": "false", onclick: () => this.#open(tab) }, t(`feed.${tab}`)),
    );
    this.bar = h("div", { class: "feed-bar" }, ...this.#tabs);
    this.element = h("section", { class: "feed", "aria-label": t("feed") }, this.bar, this.#list, this.#off, this.#form);
    this.#open("moves");
  }

  /** Whether there is anybody to chat with. */
  set hasChat(isSo) {
    if (this.#hasChat === isSo) return;
    this.#hasChat = isSo;
    this.#tabs[1].hidden = !isSo;
    if (!isSo) this.#open("moves");
  }

  /** The AIs that sit, whose reasons a tab tells: `[{mark, name}]`; and the board's rules. */
  setThinkers(thinkers, rules) {
    this.#thinkers = { thinkers, rules };
    this.#tabs[2].hidden = !thinkers.length;
    if (!thinkers.length && this.element.dataset.tab === "why") this.#open("moves");
  }

  /** Most never ask for the reasons: their module and texts are loaded when needed. */
  async #showWhy() {
    if (this.element.dataset.tab !== "why") return;
    if (this.#why === null) {
      const { makeWhy } = await import("./why.js");
      const why = await makeWhy();
      if (this.#why === null) this.#list.after((this.#why = why).element);
    }
    this.#why.show(this.#events, this.#thinkers);
  }

  #open(tab) {
    this.element.dataset.tab = tab;
    this.#tabs.forEach((button, index) => (button.ariaPressed = String(TABS[index] === tab)));
    if (tab === "chat") this.#unread = 0;
    this.#showUnread();
    this.#list.scrollTop = this.#list.scrollHeight;
    this.#showWhy();
  }

  #showUnread() {
    setText(this.#tabs[1], this.#unread ? t("feed.unread", { count: this.#unread }) : t("feed.chat"));
    this.#tabs[1].classList.toggle("unread", this.#unread > 0);
  }

  /** Add lines as the narration gives them. */
  add(lines) {
    this.#insert(lines, null);
  }

  addNote(text) {
    this.add([{ kind: "note", text }]);
  }

  /** Give back what was sent, as the server refused it. */
  giveBack() {
    this.#input.value ||= this.#sent;
  }

  /** Keep a place for lines that are not there yet: call what is returned with them. */
  reserve() {
    const place = document.createComment("");
    this.#list.append(place);
    return (lines) => {
      if (place.parentNode) this.#insert(lines, place);
      place.remove();
    };
  }

  /** Show the form to say something, or the words why there is none. */
  allow(words) {
    this.#form.hidden = words !== null;
    this.#off.hidden = words === null;
    setText(this.#off, words ?? "");
  }

  clear() {
    this.#known.clear();
    this.#events = [];
    this.#list.replaceChildren();
  }

  /** Add the menus of the messages that are there already. */
  addMenus() {
    for (const element of this.#list.querySelectorAll(".said")) this.#addMenu(element);
  }

  /** Take away what was said. */
  clearChat() {
    for (const line of this.#list.querySelectorAll(".said")) line.remove();
    this.#unread = 0;
    this.#showUnread();
  }

  #insert(lines, place) {
    const list = this.#list;
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    this.#events.push(...lines.flatMap(({ event }) => event ?? []));
    for (const line of lines.filter((each) => this.#isNew(each))) {
      list.insertBefore(this.#element(line), place);
      if (line.kind === "said" && this.element.dataset.tab !== "chat") this.#unread += 1;
    }
    this.#showUnread();
    this.#showWhy();
    while (list.childElementCount > MOST_LINES) list.firstElementChild.remove();
    if (atEnd) list.scrollTop = list.scrollHeight;
  }

  /** The chat comes again with each welcome. */
  #isNew({ kind, from, at, text }) {
    if (kind !== "said" || !at) return true;
    const key = `${from} ${at} ${text}`;
    const isNew = !this.#known.has(key);
    this.#known.add(key);
    if (this.#known.size > MOST_LINES) this.#known.delete(this.#known.values().next().value);
    return isNew;
  }

  #element(line) {
    const { kind, seat, text } = line;
    if (kind !== "said") return h("p", { class: `line ${kind} ${seat ?? ""}` }, text); // names in it are isolated
    const name = isolated(line.name);
    const speaker = line.role === "spectator" ? t("feed.watching", { name }) : name;
    const element = h("p", { class: "line said" }, h("b", {}, speaker), " ", h("bdi", {}, text));
    this.#lineOf.set(element, line);
    this.#addMenu(element);
    return element;
  }

  #addMenu(element) {
    const menu = this.#menuOf(this.#lineOf.get(element));
    if (menu) element.append(menu);
  }
}
