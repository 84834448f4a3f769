// The page of events: enter a code, run an event, and see those of this browser.

import { t } from "../model/language.js";
import { newEventPage } from "../net/address.js";
import { freshCode } from "../view/chance.js";
import { codeField } from "../view/code_field.js";
import { byId, setText } from "../view/dom.js";
import { ownEventCards } from "../view/own_events.js";
import { loadTexts } from "../view/page.js";

await loadTexts("event", "home");

document.title = `${t("nav.events")} · ${t("app")}`;
byId("code").append(codeField());
byId("run").addEventListener("click", async () => location.assign(newEventPage(await freshCode())));
if (location.pathname.endsWith("/join")) document.querySelector("[name=code]").focus();
const cards = await ownEventCards();
byId("events").replaceChildren(...cards);
setText(byId("status"), cards.length ? "" : t("events.none"));
