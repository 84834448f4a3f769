// What is kept of a person: who may see it, all of it in a file, and its end.

import { t } from "../../model/language.js";
import { troubleOf } from "../../model/own_games.js";
import { isolated } from "../../model/words.js";
import { lobbyPage } from "../../net/address.js";
import { ask, personPage } from "../../net/person.js";
import { rememberPerson } from "../../net/token_store.js";
import { h, setText } from "../dom.js";
import { download } from "../download.js";

export class OwnData {
  #said = h("p", { class: "trouble", role: "alert", hidden: true });
  #person;
  #dialog;

  /** `settings`: as the server has them. */
  constructor(person, settings) {
    this.#person = person;
    this.#dialog = this.#question();
    const shown = h("input", { type: "checkbox", checked: !settings.hidden, onchange: () => this.#set({ hidden: shown.checked ? null : true }) });
    this.element = h(
      "section",
      { class: "panel own-data", "aria-labelledby": "data-title" },
      h("h2", { id: "data-title" }, t("me.data")),
      this.#said,
      h(
        "div",
        { class: "way" },
        h("label", { class: "check" }, shown, h("span", {}, t("me.shown"))),
        h("p", { class: "facts" }, t("me.shown_words"), " ", h("a", { href: personPage(person.name) }, t("me.see_page"))),
      ),
      h("div", { class: "way apart" }, h("p", {}, t("me.export_words")), h("button", { type: "button", onclick: () => this.#export() }, t("me.export"))),
      h(
        "div",
        { class: "way apart" },
        h("p", {}, t("me.forget_words")),
        h("button", { type: "button", class: "plain", onclick: () => this.#dialog.showModal() }, t("me.forget")),
      ),
      this.#dialog,
    );
  }

  async #set(settings) {
    const { status, body } = await ask("PATCH", "me", { settings });
    this.#say(body ? t("me.saved") : t(troubleOf(status)));
  }

  async #export() {
    const { status, body } = await ask("GET", "me/export");
    if (!body) return this.#say(t(troubleOf(status)));
    download(new Blob([JSON.stringify(body, null, 2)], { type: "application/json" }), "ttt-rooms.json");
  }

  #question() {
    const trouble = h("p", { class: "trouble", role: "alert", hidden: true });
    const forget = async () => {
      const { status } = await ask("DELETE", "me");
      if (status === 200 || status === 204) {
        rememberPerson(null);
        return location.assign(lobbyPage());
      }
      trouble.hidden = false;
      setText(trouble, t(troubleOf(status)));
    };
    const close = () => dialog.close();
    const dialog = h(
      "dialog",
      { class: "question", "aria-labelledby": "forget-title" },
      h("h2", { id: "forget-title" }, t("me.forget_title", { name: isolated(this.#person.name) })),
      h("ul", {}, ...["name", "games", "devices"].map((part) => h("li", {}, t(`me.forget_part.${part}`)))),
      trouble,
      h(
        "div",
        { class: "buttons" },
        h("button", { type: "button", autofocus: true, onclick: close }, t("me.forget_not")),
        h("button", { type: "button", class: "danger", onclick: forget }, t("me.forget_sure")),
      ),
    );
    return dialog;
  }

  #say(words) {
    this.#said.hidden = false;
    setText(this.#said, words);
  }
}
