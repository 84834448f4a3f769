// The page at an address where nothing is: what was probably meant, and the way home.

import { t } from "../model/language.js";
import { roomMeant } from "../model/names.js";
import { lostPath, roomPage } from "../net/address.js";
import { byId, setText } from "../view/dom.js";
import { loadTexts } from "../view/texts.js";

await loadTexts();

const path = lostPath();
const room = roomMeant(path);
document.title = `${t("lost.title")} · ${t("app")}`;
setText(byId("path"), path);
byId("meant").hidden = !room;
byId("guess").href = roomPage(room);
setText(byId("guess"), t("lost.room", { room }));
