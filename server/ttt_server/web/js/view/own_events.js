// Cards of events: those that this browser organises or takes part in, and those that are for all.

import { listedWords, statusWords } from "../model/event_words.js";
import { t } from "../model/language.js";
import { rulesWords } from "../model/words.js";
import { eventPage, fetchAnswer } from "../net/address.js";
import { forgetToken, namesWithToken } from "../net/token_store.js";
import { h } from "./dom.js";

const MOST = 12;
const ORDER = ["running", "paused", "created", "finished"];

/** Their cards, with what goes on first; those that are gone are forgotten. It needs the texts of events. */
export async function ownEventCards() {
  const keys = namesWithToken().filter((name) => name.startsWith("event/"));
  const names = [...new Set(keys.map((key) => key.split("/")[1]))];
  const found = [];
  for (const name of names.slice(0, MOST)) {
    const { status, body } = await fetchAnswer(`events/${name}`);
    if (body) found.push({ ...body, isOrganiser: keys.includes(`event/${name}/organiser`) });
    if (status === 404) for (const key of keys.filter((each) => each.split("/")[1] === name)) forgetToken(key);
  }
  return found.sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status)).map(cardOf);
}

/** The cards of some events of the list for all. It needs the texts of events. */
export const listedEventCards = (events) =>
  events.map((event) => {
    const { event: name, title, form, rules, status } = event;
    const facts = `${t(`tournament.meet.${form}`)} · ${rulesWords(rules)} · ${listedWords(event)}`;
    return card(name, title, facts, t(status === "created" ? "lobby.join" : "lobby.watch"));
  });

function cardOf(event) {
  const { name, title, form, isOrganiser } = event;
  const facts = `${t(`tournament.form.${form}`)} · ${statusWords(event)}`;
  return card(name, title, facts, t(isOrganiser ? "tournament.organise" : "lobby.back"));
}

function card(name, title, facts, verb) {
  const link = h("a", { class: "button", href: eventPage(name), "aria-label": t("lobby.verb_room", { verb, room: title }) }, verb);
  const words = h("p", { class: "facts" }, facts);
  return h("li", { class: "card event-card" }, h("div", {}, h("h3", {}, name), h("p", { class: "players" }, h("bdi", {}, title)), words, link));
}
