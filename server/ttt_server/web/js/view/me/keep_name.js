// The way in for somebody whom this browser does not know: keep a name, or bring one along from another device.

import { t } from "../../model/language.js";
import { isGoodName } from "../../model/names.js";
import { troubleOf } from "../../model/own_games.js";
import { lobbyPage } from "../../net/address.js";
import { ask, become } from "../../net/person.js";
import { ownName } from "../chance.js";
import { h, setText } from "../dom.js";

const GAINS = ["devices", "games", "turn"];
const ICONS = {
  devices: "M3 5h13v9H3zM1.5 17h16M18 9h4v10h-4z",
  games: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z",
  turn: "M12 3a6 6 0 0 1 6 6c0 5 2 6 2 7H4c0-1 2-2 2-7a6 6 0 0 1 6-6M10 20h4",
};

export class KeepName {
  #trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  #name = h("input", { name: "name", autocomplete: "nickname", required: true, value: ownName(), oninput: () => this.#forgive() });
  #done;

  /**
   * `icon(path)` draws a sign; `done()` is called once this browser is a person's. `guests`: whether one keeps a name by
   * oneself; `signIn`: the path at which a school or a club says who one is, or null.
   */
  constructor(icon, done, { guests = true, sign_in: signIn = null } = {}) {
    this.#done = done;
    const href = signIn && new URL(signIn.replace(/^\//, ""), lobbyPage()).href;
    this.element = h(
      "div",
      { class: "keep" },
      h(
        "section",
        { class: "panel keep-new", "aria-labelledby": "keep-title" },
        h("h1", { id: "keep-title" }, t("me.keep_title")),
        h("p", {}, t("me.keep_words")),
        href && h("p", {}, h("a", { class: "button", href }, t("me.sign_in"))),
        h(
          "form",
          { class: "keep-form", hidden: !guests, onsubmit: (event) => this.#keep(event) },
          h("label", { class: "field" }, h("span", {}, t("name")), this.#name),
          h("button", { type: "submit", class: "main" }, t("me.keep")),
        ),
        this.#trouble,
        h("small", { hidden: !guests }, t("me.keep_cost")),
      ),
      h("ul", { class: "gains" }, ...GAINS.map((gain) => h("li", {}, icon(ICONS[gain]), h("div", {}, h("h2", {}, t(`me.gain.${gain}`)), h("p", {}, t(`me.gain_words.${gain}`)))))),
      h(
        "section",
        { class: "panel keep-known", hidden: !guests, "aria-labelledby": "known-title" },
        h("h2", { id: "known-title" }, t("me.known_title")),
        h("p", {}, t("me.known_link")),
        this.#phraseForm(),
      ),
    );
  }

  /** Say why a link or a try did not work. */
  refuse(words) {
    this.#trouble.hidden = false;
    setText(this.#trouble, words);
  }

  #forgive() {
    this.#trouble.hidden = true;
  }

  async #keep(event) {
    event.preventDefault();
    const name = this.#name.value.trim();
    if (!isGoodName(name)) return this.#complain(t("name.bad"));
    const { status, body } = await ask("POST", "persons", { name });
    if (body) return this.#be(body);
    this.#complain(t(status === 409 ? "me.taken" : troubleOf(status)));
  }

  #complain(words) {
    this.refuse(words);
    this.#name.select();
  }

  #phraseForm() {
    const name = h("input", { name: "known", autocomplete: "nickname", required: true });
    const phrase = h("input", { name: "phrase", autocomplete: "off", autocapitalize: "none", spellcheck: "false", required: true });
    const trouble = h("p", { class: "trouble", role: "alert", hidden: true });
    const enter = async (event) => {
      event.preventDefault();
      const given = { name: name.value.trim(), phrase: phrase.value.trim() };
      const { status, body } = await ask("POST", "persons/phrase", given);
      if (body) return this.#be(body);
      trouble.hidden = false;
      setText(trouble, t([400, 401, 403, 404].includes(status) ? "me.phrase_wrong" : troubleOf(status)));
      phrase.select();
    };
    return h(
      "form",
      { class: "phrase-form", onsubmit: enter },
      h("label", { class: "field" }, h("span", {}, t("name")), name),
      h("label", { class: "field wide" }, h("span", {}, t("me.phrase")), phrase),
      h("button", { type: "submit" }, t("me.phrase_go")),
      trouble,
    );
  }

  #be(answer) {
    become(answer);
    this.#done();
  }
}
