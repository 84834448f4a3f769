// The small mark of a name that is kept on the server.

import { t } from "../model/language.js";
import { personPage } from "../net/person.js";
import { h, s } from "./dom.js";
import { addStyles } from "./page.js";

/** Whether the server keeps names at all: its pages say so. */
export const keepsNames = () => Boolean(document.documentElement.dataset.persons);

/** A tick in a ring, with words for those who hear the page. */
export const personMark = () =>
  s("svg", { class: "person-mark", viewBox: "0 0 12 12", role: "img", "aria-label": t("person.kept") }, s("title", {}, t("person.kept")), s("circle", { cx: 6, cy: 6, r: 5.25 }), s("path", { d: "M3.6 6.2 L5.3 7.9 L8.5 4.4" }));

/** Wrap the element of a name in a link to its person, with the mark; take both away from a guest's name. */
export async function linkPerson(name, seat) {
  const link = name.closest("a");
  if (!seat?.person) return link?.replaceWith(name);
  const href = personPage(seat.name);
  if (link) return (link.href = href);
  await addStyles("css/mark.css");
  const made = h("a", { class: "person-link", href, target: "_blank" }, personMark());
  if (name.closest("a")) return;
  name.replaceWith(made);
  made.prepend(name);
}
