// The page at an address where nothing is: what was probably meant, and the way home.

import { t } from "../model/language.js";
import { placeMeant } from "../model/names.js";
import { eventPage, lostPath, roomPage } from "../net/address.js";
import { byId, setText } from "../view/dom.js";
import { loadTexts } from "../view/page.js";

await loadTexts("lost");

const path = lostPath();
const meant = placeMeant(path);
document.title = `${t("lost.title")} · ${t("app")}`;
setText(byId("path"), path);
byId("meant").hidden = meant === null;
if (meant) {
  byId("guess").href = meant.event ? eventPage(meant.event) : roomPage(meant.room);
  setText(byId("guess"), t(meant.event ? "lost.event" : "lost.room", meant));
}
