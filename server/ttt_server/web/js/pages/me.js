// One's own page: the games, other devices, and what is kept. Without a kept name, the way to keep one.

import { t } from "../model/language.js";
import { dayWords, troubleOf } from "../model/own_games.js";
import { isolated } from "../model/words.js";
import { ask, become, personPage } from "../net/person.js";
import { recallPerson } from "../net/token_store.js";
import { keepName } from "../view/chance.js";
import { byId, h, setText } from "../view/dom.js";
import { icon, loadTexts } from "../view/page.js";
import { Devices } from "../view/me/devices.js";
import { KeepName } from "../view/me/keep_name.js";
import { personMark } from "../view/person_mark.js";
import { OwnData } from "../view/me/own_data.js";
import { OwnGames } from "../view/me/own_games.js";

await loadTexts("people", "share");
document.title = `${t("me.title")} · ${t("app")}`;
const code = /^#code=(.+)/.exec(location.hash)?.[1] ?? null;
if (code) history.replaceState(null, "", location.pathname); // it is a secret, and works once
if (code && recallPerson()) askFirst(code);
else if (code) useCode(code);
else show();

async function useCode(code) {
  const { status, body } = await ask("POST", "persons/link", { code });
  if (body) become(body);
  await show();
  if (!body) setText(byId("note"), t(status === 404 || status === 400 ? "me.link_dead" : troubleOf(status)));
}

/** This browser is somebody's already: another person takes their place after a question alone. */
async function askFirst(code) {
  const { body } = await ask("GET", "me");
  if (!body) return useCode(code);
  const question = h(
    "section",
    { class: "panel another" },
    h("h1", {}, t("me.another", { name: isolated(body.person.name) })),
    h("p", {}, t("me.another_words")),
    h(
      "div",
      { class: "buttons" },
      h("button", { type: "button", class: "main", onclick: () => useCode(code) }, t("me.another_go")),
      h("button", { type: "button", onclick: show }, t("me.another_stay")),
    ),
  );
  byId("me").replaceChildren(question);
}

async function show() {
  setText(byId("note"), "");
  const isKnown = recallPerson() || document.documentElement.dataset.persons === "known"; // by a proxy
  const { status, body } = isKnown ? await ask("GET", "me") : { status: 401, body: null };
  if (body) return showPerson(body);
  if (status === 401) return showGuest();
  setText(byId("note"), t(troubleOf(status)));
  byId("me").replaceChildren(h("button", { type: "button", class: "main", onclick: show }, t("me.again")));
}

async function showGuest() {
  const { body } = await ask("GET", "persons");
  byId("me").replaceChildren(new KeepName(icon, show, body ?? undefined).element);
}

function showPerson({ person, settings }) {
  keepName(person.name);
  const turns = h("p", { class: "facts" });
  const games = new OwnGames((count, status) => {
    if (count === null) return setText(byId("note"), t(troubleOf(status)));
    setText(byId("note"), "");
    setText(turns, count ? t("me.turns", { count }) : t("me.no_turns"));
  });
  const head = h(
    "header",
    { class: "me-head" },
    h("span", { class: "monogram", "aria-hidden": "true" }, [...person.name][0].toUpperCase()),
    h("div", {}, h("h1", {}, h("bdi", {}, person.name), personMark()), turns),
    h("p", { class: "facts since" }, t("person.since", { day: dayWords(person.since) }), " · ", h("a", { href: personPage(person.name) }, t("me.see_page"))),
  );
  const more = h("div", { class: "me-more" }, new Devices().element, new OwnData(person, settings).element);
  byId("me").replaceChildren(head, games.element, more);
  showMore(games, more, person.name, settings);
}

/** Who asks for a game, before the games; below them whom one asks, and whether this browser tells of what happens here. */
async function showMore(games, more, name, settings) {
  const read = games.read();
  const { OwnChallenges } = await import("../view/me/challenges.js");
  const { PushSwitch } = await import("../view/me/push_switch.js");
  await read;
  const challenges = new OwnChallenges(name, games);
  games.element.before(challenges.waiting);
  more.prepend(challenges.element, new PushSwitch(settings).element);
}
