// One's name on other devices: a link that works once, a phrase to remember, and an end to all of them.

import { t } from "../../model/language.js";
import { spanWords, troubleOf } from "../../model/own_games.js";
import { ask, mePage } from "../../net/person.js";
import { rememberPerson } from "../../net/token_store.js";
import { confirmed } from "../confirmed.js";
import { h, setText } from "../dom.js";
import { Share } from "../share.js";

const TICK_MS = 1_000;

export class Devices {
  #trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  #link = h("div", { class: "link-place" });
  #phrase = h("div", { class: "phrase-place" });
  #ends = null;

  constructor() {
    const signOut = confirmed(t("me.sign_out"), t("me.sign_out_sure"), () => this.#signOut());
    this.element = h(
      "section",
      { class: "panel devices", "aria-labelledby": "devices-title" },
      h("h2", { id: "devices-title" }, t("me.devices")),
      this.#trouble,
      h(
        "div",
        { class: "two" },
        h("div", { class: "way" }, h("h3", {}, t("me.link")), h("p", {}, t("me.link_words")), h("button", { type: "button", class: "main", onclick: () => this.#showLink() }, t("me.link_show")), this.#link),
        h("div", { class: "way" }, h("h3", {}, t("me.phrase")), h("p", {}, t("me.phrase_words")), h("button", { type: "button", onclick: () => this.#showPhrase() }, t("me.phrase_show")), this.#phrase),
      ),
      h("div", { class: "way apart" }, h("p", {}, t("me.sign_out_words")), signOut),
    );
  }

  async #post(path) {
    this.#trouble.hidden = true;
    const { status, body } = await ask("POST", path);
    if (!body) this.#refuse(status);
    return body;
  }

  #refuse(status) {
    this.#trouble.hidden = false;
    setText(this.#trouble, t(troubleOf(status)));
  }

  async #showLink() {
    const link = await this.#post("me/link");
    if (!link) return;
    clearInterval(this.#ends);
    const left = h("p", { class: "facts", role: "status" });
    const share = new Share(mePage(link.code), { label: t("me.link"), title: t("me.link_scan") });
    this.#link.replaceChildren(share.element, left);
    const tick = () => {
      const rest = link.expires - Date.now();
      if (rest > 0) return setText(left, t("me.link_left", { time: spanWords(rest) }));
      clearInterval(this.#ends);
      this.#link.replaceChildren(h("p", { class: "facts" }, t("me.link_over")));
    };
    this.#ends = setInterval(tick, TICK_MS);
    tick();
  }

  async #showPhrase() {
    const made = await this.#post("me/phrase");
    if (!made) return;
    const words = h("ol", { class: "phrase", "aria-label": t("me.phrase") }, ...made.phrase.split(" ").map((word) => h("li", { translate: "no" }, word)));
    this.#phrase.replaceChildren(words, h("p", { class: "facts", role: "status" }, t("me.phrase_keep")));
  }

  async #signOut() {
    const made = await this.#post("me/signout");
    if (!made) return;
    rememberPerson(made.token);
    this.#link.replaceChildren();
    this.#trouble.hidden = false;
    setText(this.#trouble, t("me.sign_out_done"));
  }
}
