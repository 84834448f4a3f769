// Challenges: whom one asks for a game, who asks, and from whom one takes none.

import { t } from "../../model/language.js";
import { OFFERED } from "../../model/boards.js";
import { troubleOf } from "../../model/own_games.js";
import { isolated, rulesWords } from "../../model/words.js";
import { seatPage } from "../../net/address.js";
import { ask } from "../../net/person.js";
import { h, setText } from "../dom.js";
import { addPart } from "../page.js";

await addPart("challenges");

const EVERY_MS = 10_000;
/** Minutes, and seconds a move. */
const CLOCKS = [
  [1, 0],
  [3, 2],
  [5, 3],
  [15, 10],
];
const DAYS = [1, 3, 7];
const TIMES = [
  {},
  ...CLOCKS.map(([minutes, seconds]) => ({ clock: { initial_s: 60 * minutes, increment_s: seconds } })),
  ...DAYS.map((days) => ({ days })),
];
const REFUSED = { 403: "challenge.refused", 404: "challenge.unknown", 409: "challenge.again" };

export class OwnChallenges {
  #own;
  #games;
  #said = h("p", { role: "status", class: "trouble", hidden: true });
  /** The challenges that wait for an answer of the reader's, and those whose game has not begun. */
  waiting = h("ul", { class: "challenges", hidden: true });
  #list = h("ul", { class: "challenges" });
  #blocked = h("div", { class: "way", hidden: true });
  #to = h("input", { required: true, maxlength: "24", autocomplete: "off" });
  #board = h("select", {}, ...OFFERED.map((rules, index) => h("option", { value: index }, rulesWords(rules))));
  #time = h("select", {}, ...TIMES.map((time, index) => h("option", { value: index }, timeWords(time))));
  #rated = h("input", { type: "checkbox" });

  /** `own`: the name of the reader; `games`: the list, which has been read. A fragment `#play=NAME` names whom to challenge. */
  constructor(own, games) {
    this.#own = own;
    this.#games = games;
    const form = h(
      "form",
      {
        class: "room-form",
        onsubmit: (event) => {
          event.preventDefault();
          this.#send();
        },
      },
      labelled("challenge.to", this.#to),
      labelled("challenge.board", this.#board),
      labelled("challenge.time", this.#time),
      h("label", { class: "check" }, this.#rated, h("span", {}, t("challenge.rated"))),
      h("button", { type: "submit", class: "main" }, t("challenge.send")),
    );
    this.element = h(
      "section",
      { class: "panel own-data", "aria-labelledby": "challenges-title" },
      h("h2", { id: "challenges-title" }, t("challenge.title")),
      h("p", {}, t("challenge.about")),
      this.#list,
      this.#said,
      form,
      this.#blocked,
    );
    this.#begin();
    this.#look();
    setInterval(() => this.#isBusy() || this.#look(), EVERY_MS);
  }

  /** Whether nobody looks, or the focus is in a list. */
  #isBusy() {
    return document.hidden || [this.waiting, this.#list].some((list) => list.contains(document.activeElement));
  }

  #begin() {
    const name = /^#play=(.+)/.exec(location.hash)?.[1];
    if (!name) return;
    history.replaceState(null, "", location.pathname);
    this.#to.value = decodeURIComponent(name);
    requestAnimationFrame(() => this.#to.focus());
  }

  async #look() {
    const { status, body } = await ask("GET", "me/challenges");
    if (!body) return this.#say(t(troubleOf(status)));
    const left = body.challenges.filter(({ room }) => !room || !this.#games.has(room)); // the rest became games
    const isAsked = ({ from, state }) => from !== this.#own && state === "open";
    const [first, others] = [true, false].map((is) => left.filter((each) => (isAsked(each) || Boolean(each.room)) === is));
    this.#games.expect(left.filter(({ room }) => room).length);
    this.waiting.replaceChildren(...first.map((each) => this.#item(each)));
    this.waiting.hidden = !first.length;
    this.#list.replaceChildren(...others.map((each) => this.#item(each)));
    this.#list.hidden = !others.length;
    this.#showBlocked(body.blocked);
  }

  #item({ id, from, to, settings, state, room }) {
    const isMine = from === this.#own;
    const other = isMine ? to : from;
    const name = isolated(other);
    const terms = [rulesWords(settings.rules), timeWords(settings), settings.rated ? t("challenge.is_rated") : null];
    const isOpen = state === "open";
    const answers = [
      button(t("challenge.accept"), () => this.#answer(id, true), "main"),
      button(t("challenge.decline"), () => this.#answer(id, false)),
      button(t("challenge.block", { name }), () => this.#block("POST", other)),
    ];
    return h(
      "li",
      {},
      h("p", {}, h("strong", {}, t(isMine ? "challenge.mine" : "challenge.from", { name })), ` · ${terms.filter(Boolean).join(", ")}`),
      isOpen && !isMine ? h("div", { class: "buttons" }, ...answers) : h("p", { class: "facts" }, t(`challenge.state.${state}`)),
      room ? h("a", { class: "button main", href: seatPage(room) }, t("challenge.play")) : null,
    );
  }

  async #answer(id, accept) {
    const { status, body, reason } = await ask("POST", `challenges/${encodeURIComponent(id)}`, { accept });
    if (body?.room) return location.assign(seatPage(body.room));
    if (!body) this.#say(status === 409 ? reason : t(troubleOf(status)));
    this.#look();
  }

  async #block(method, name) {
    const { status, body } = await ask(method, "me/blocks", { name });
    if (!body) this.#say(t(troubleOf(status)));
    this.#look();
  }

  async #send() {
    const settings = { rules: OFFERED[this.#board.value], ...TIMES[this.#time.value] };
    if (this.#rated.checked) settings.rated = true;
    if (settings.rated && !settings.clock && !settings.days) return this.#say(t("challenge.needs_time"));
    const { status, body, reason } = await ask("POST", "challenges", { to: this.#to.value, settings });
    const why = REFUSED[status] ? t(REFUSED[status]) : status === 400 ? reason : t(troubleOf(status));
    this.#say(body ? t("challenge.sent", { name: isolated(body.to) }) : why);
    if (body) this.#look();
  }

  #showBlocked(names) {
    this.#blocked.hidden = !names.length;
    const unblock = (name) => button(t("challenge.unblock", { name: isolated(name) }), () => this.#block("DELETE", name));
    this.#blocked.replaceChildren(h("p", {}, t("challenge.blocked")), h("div", { class: "buttons" }, ...names.map(unblock)));
  }

  #say(words) {
    this.#said.hidden = false;
    setText(this.#said, words);
    this.#said.scrollIntoView({ block: "nearest" }); // an answer is given further up
  }
}

function timeWords({ clock, days }) {
  if (days) return t("challenge.days", { count: days });
  if (!clock) return t("challenge.no_time");
  const minutes = clock.initial_s / 60;
  return clock.increment_s ? t("challenge.clock", { minutes, seconds: clock.increment_s }) : t("challenge.minutes", { minutes });
}

const button = (words, onclick, kind = null) => h("button", { type: "button", class: kind, onclick }, words);

const labelled = (key, input) => h("label", { class: "field" }, h("span", {}, t(key)), input);
