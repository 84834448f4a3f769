// The page that says how to play. All of it is in its HTML.

import { t } from "../model/language.js";
import { loadTexts } from "../view/page.js";

await loadTexts("help");
document.title = `${t("foot.help")} · ${t("app")}`;
