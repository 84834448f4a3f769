// A form that makes links to the seats of new rooms from pairs of names: games beside the event.

import { t } from "../../model/language.js";
import { seatWords } from "../../model/seat_link.js";
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

/** `{pairs}`, or `{bad}`: the number of the first line that is not two names with a comma between. */
function readPairs(text) {
  const pairs = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (!line.trim()) continue;
    const names = line.split(",").map((name) => name.trim().replace(/^"(.*)"$/, "$1"));
    if (names.length !== 2 || !names.every((name) => name && [...name].length <= 24)) return { bad: index + 1 };
    pairs.push(names);
  }
  return { pairs };
}

function lineOf([x, o], terms) {
  const room = seatsRoom();
  const link = (seat, name) => `${roomPage(room)}#${seatWords(seat, name, terms)}`;
  return [quoted(x), link("X", x), quoted(o), link("O", o)].join(",");
}

const quoted = (text) => (text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text);
