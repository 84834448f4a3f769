// A form that makes links to the seats of new rooms from pairs of names: games beside the event.

import { t } from "../../model/language.js";
import { seatWords } from "../../model/seat_link.js";
import { csvLine, readPairs } from "../../model/spreadsheet.js";
import { roomPage } from "../../net/address.js";
import { seatsRoom } from "../chance.js";
import { h, setText } from "../dom.js";

/** A folded form. `terms()` gives the settings of the rooms: `rules`, `clock`, `delay_s`, `opening`. */
export function seatLinks(terms) {
  const pairs = h("textarea", { rows: 4, "aria-label": t("seats.pairs") });
  const links = h("textarea", { rows: 4, readonly: true, hidden: true, "aria-label": t("seats.links") });
  const trouble = h("p", { class: "trouble", role: "alert" });
  const make = (event) => {
    event.preventDefault();
    const found = readPairs(pairs.value);
    setText(trouble, found.bad ? t("seats.bad", { line: found.bad }) : "");
    links.hidden = Boolean(found.bad) || !found.pairs.length;
    if (links.hidden) return;
    links.value = ["X,link of X,O,link of O", ...found.pairs.map((pair) => lineOf(pair, terms()))].join("\n");
    links.focus();
    links.select();
  };
  return h(
    "details",
    {},
    h("summary", {}, t("seats.title")),
    h("p", {}, t("seats.words")),
    h("form", { class: "seat-links", onsubmit: make }, pairs, h("button", { type: "submit" }, t("seats.make")), trouble, links),
  );
}

function lineOf([x, o], terms) {
  const room = seatsRoom();
  const link = (seat, name) => `${roomPage(room)}#${seatWords(seat, name, terms)}`;
  return csvLine([x, link("X", x), o, link("O", o)]);
}
