// What is yours: your name, how boards look to you, and the ways to your games and events.

import { t } from "../model/language.js";
import { eventsPage, lobbyPage } from "../net/address.js";
import { mePage } from "../net/person.js";
import { recallChoice, recallPerson, rememberChoice } from "../net/token_store.js";
import { BoardSvg } from "./board_svg.js";
import { h } from "./dom.js";
import { NameField } from "./name_field.js";
import { addPart } from "./page.js";
import { keepsNames } from "./person_mark.js";

await addPart("own");

/** The choices, each kept in this browser; the first one is what a page has without a choice. */
const LOOKS = { board: ["", "slate", "contrast"], marks: ["", "marks", "stones"] };
const SAMPLE = { columns: 2, rows: 1, in_a_row: 2, gravity: false };

export class OwnPanel {
  constructor() {
    this.element = h(
      "div",
      { class: "own-panel panel" },
      new NameField({ renamed: (name) => dispatchEvent(new CustomEvent("renamed", { detail: name })) }).element,
      ...Object.keys(LOOKS).map(choiceOf),
      h("p", { class: "buttons" }, ...ways().map(([href, words]) => h("a", { href }, words))),
    );
  }
}

/** With a kept name all games are on its page; without one, those of this browser on the front page. */
function ways() {
  const isKept = recallPerson() !== null;
  const own = keepsNames() ? [[mePage(), t(isKept ? "own.games" : "own.keep")]] : [];
  return [...own, ...(isKept ? [] : [[`${lobbyPage()}#yours`, t("lobby.yours")]]), [eventsPage(), t("nav.events")]];
}

function choiceOf(look) {
  const chosen = recallChoice(look) ?? "";
  const options = LOOKS[look].map((value) => {
    const choose = () => {
      rememberChoice(look, value || null);
      document.documentElement.dataset[look] = value;
    };
    const input = h("input", { type: "radio", name: `own ${look}`, value, checked: value === chosen, onchange: choose });
    return h("label", { class: "look", [`data-${look}`]: value || "plain" }, input, sample(), h("span", {}, t(`own.${look}.${value || "plain"}`)));
  });
  return h("fieldset", { class: "looks" }, h("legend", {}, t(`own.${look}`)), ...options);
}

function sample() {
  const svg = new BoardSvg(SAMPLE);
  svg.draw({ board: "XO" });
  return svg.element;
}
