// A person, as everybody may see them: the name, since when, and games of public rooms.

import { boardOf } from "../model/boards.js";
import { t } from "../model/language.js";
import { dayWords, troubleOf } from "../model/own_games.js";
import { isolated, rulesWords } from "../model/words.js";
import { lobbyPage } from "../net/address.js";
import { ask, mePage, personOfLocation } from "../net/person.js";
import { recallName, recallPerson } from "../net/token_store.js";
import { byId, h, setText } from "../view/dom.js";
import { loadTexts } from "../view/page.js";
import { gameCard, gameLine } from "../view/own_game_card.js";
import { personMark } from "../view/person_mark.js";

await loadTexts("people");
const name = personOfLocation();
document.title = `${name} · ${t("app")}`;
const { status, body } = await ask("GET", `people/${encodeURIComponent(name)}`);
if (body) show(body);
else if (status === 404) byId("person").replaceChildren(nobody());
else setText(byId("note"), t(troubleOf(status)));

function show({ name, since, games, ratings = [] }) {
  document.title = `${name} · ${t("app")}`;
  const running = games.filter(({ state }) => state !== "finished");
  const over = games.filter(({ state }) => state === "finished");
  byId("person").replaceChildren(
    h(
      "header",
      { class: "me-head" },
      h("span", { class: "monogram", "aria-hidden": "true" }, [...name][0].toUpperCase()),
      h("div", {}, h("h1", {}, h("bdi", {}, name), personMark()), h("p", { class: "facts" }, t("person.since", { day: dayWords(since) }))),
    ),
    ...(recallPerson() && name !== recallName() ? [challengeLink(name)] : []),
    ...(ratings.length ? [section("person.strength", h("ul", { class: "ratings" }, ...ratings.map(ratingOf)))] : []),
    ...(running.length ? [section("person.running", h("ul", { class: "cards" }, ...running.map((game) => gameCard(game, false))))] : []),
    section("person.games", over.length ? h("ul", { class: "game-lines" }, ...over.map(gameLine)) : h("p", { class: "none" }, t("person.none"))),
  );
}

/** The way to ask a person for a game. */
function challengeLink(name) {
  const href = `${mePage()}#play=${encodeURIComponent(name)}`;
  return h("p", {}, h("a", { class: "button", href }, t("person.challenge", { name: isolated(name) })));
}

/** How strong a person is on a board: `3×3, three in a row · days a move: 1512 ± 90`. */
function ratingOf({ board, pace, rating, deviation, provisional, games }) {
  const rules = boardOf(board);
  const words = `${rules ? rulesWords(rules) : board} · ${t(`person.pace.${pace}`)}`;
  const points = h("b", {}, `${Math.round(rating)}${provisional ? "?" : ""}`, h("small", {}, ` ± ${Math.round(2 * deviation)}`));
  return h("li", {}, points, h("span", { class: "facts" }, words), h("span", { class: "facts" }, t("person.rated", { count: games })));
}

function nobody() {
  const words = h("p", {}, t("person.unknown_words"));
  return h("section", { class: "panel another" }, h("h1", {}, t("person.unknown", { name: isolated(name) })), words, h("a", { class: "button", href: lobbyPage() }, t("me.empty_go")));
}

function section(title, list) {
  return h("section", { class: "games" }, h("h2", {}, t(title)), list);
}
