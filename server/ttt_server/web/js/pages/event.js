// The page of an event: take part, follow it, organise it. A player goes to each game by itself.

import { t } from "../model/language.js";
import { statusWords, timeLeft } from "../model/event_words.js";
import { refusalWords, roomRulesWords } from "../model/words.js";
import { eventOfLocation, eventPage, fetchJson, organiserPage, roomPage, wallPage } from "../net/address.js";
import { EventSession, organiserKey } from "../net/event_session.js";
import { recallToken, rememberBoards, rememberEvent, rememberToken } from "../net/token_store.js";
import { byId, h, setText } from "../view/dom.js";
import { EventForm } from "../view/event_form.js";
import { bracketOf, gameList, standingsTable } from "../view/event_tables.js";
import { NameField } from "../view/name_field.js";
import { ConnectionNotice } from "../view/connection_notice.js";
import { OrganiserPanel } from "../view/organiser_panel.js";
import { Share } from "../view/share.js";
import { loadTexts } from "../view/texts.js";

await loadTexts();

const name = eventOfLocation();
let you = null;
let event = null;
let clockSkew = 0;
let organiser = null;
let lastGame = null;

const session = new EventSession(name, {
  onMessage,
  onOutside,
  onState: (state) => notice.update(state),
});
const notice = new ConnectionNotice(() => session.enter());
const nameField = new NameField();

setText(byId("name"), name); // until its title is known
byId("notice").append(notice.element);
byId("wall").href = wallPage(name);
byId("share").append(new Share(eventPage(name)).element);
takeOrganisersToken();
session.enter();
setInterval(tick, 500);

/** The organiser's link has its token behind #; it is kept, and taken out of the address. */
function takeOrganisersToken() {
  const [, token] = /^#organise=(.+)$/.exec(location.hash) ?? [];
  if (!token) return;
  rememberToken(organiserKey(name), token);
  history.replaceState(null, "", eventPage(name));
}

function onMessage(message) {
  switch (message.type) {
    case "welcome":
      you = message.you;
      return show(message.event);
    case "event":
      return show(message.event);
    case "games":
      return goToGame(message.games);
    case "invitation":
      return organiser?.invite(message.token);
    case "refused":
      return notice.say(message.reason || refusalWords(message));
  }
}

function onOutside(refusal) {
  notice.update({ state: "open" });
  setText(byId("status"), refusal.code === "no_such_room" ? t("tournament.none") : refusalWords(refusal));
  byId("inside").hidden = true;
  const form = new EventForm((title, settings) => session.create(title, settings));
  byId("entry").replaceChildren(
    h("section", { class: "panel" }, h("h2", {}, t("tournament.new", { event: name })), form.element),
  );
}

/** Go to a game that has just begun, to the first of several; games left by hand are not gone to again. */
function goToGame(games) {
  byId("yours").replaceChildren(
    ...games.map((game) => {
      rememberToken(game.room, game.token);
      rememberEvent(game.room, name);
      const words = t("tournament.to_game", { opponent: game.opponent, mark: game.seat });
      return h("a", { class: "button main", href: roomPage(game.room) }, words);
    }),
  );
  rememberBoards(name, games.map(({ room }) => room));
  const next = games.find(({ room }) => sessionStorage.getItem(`ttt gone to ${room}`) === null);
  if (!next || lastGame === next.room) return;
  lastGame = next.room;
  for (const { room } of games) sessionStorage.setItem(`ttt gone to ${room}`, "1");
  location.assign(roomPage(next.room));
}

function show(state) {
  event = state;
  clockSkew = event.now - Date.now();
  document.title = `${statusWords(event)} · ${event.title}`;
  setText(byId("name"), event.title);
  setText(byId("form"), `${t(`tournament.form.${event.form}`)} · ${roomRulesWords(event.settings)}`);
  setText(byId("status"), statusWords(event));
  byId("inside").hidden = false;
  byId("share").hidden = event.status === "finished" || !event.doors_open;
  byId("announcements").replaceChildren(...event.announcements.map((text) => h("li", {}, text)));
  const hasBracket = event.bracket && event.status !== "created";
  byId("bracket").replaceChildren(...(hasBracket ? [bracketOf(event.bracket)] : []));
  showEntry();
  showOrganiser();
  showTables();
  tick();
  if (event.status === "finished" && !isRated(event)) showRatings();
}

const isRated = ({ standings }) => standings.some(({ elo }) => elo !== undefined);

/** The results have ratings, and all rows and games, over HTTP alone. */
async function showRatings() {
  const whole = await fetchJson(`events/${name}`);
  if (whole?.seq !== event.seq || !isRated(whole)) return;
  event = whole;
  showTables();
}

function showEntry() {
  if (you.role !== "watcher") {
    const withdrawn = event.standings.find(({ id }) => id === you.id)?.status === "withdrawn";
    const type = withdrawn ? "return" : "withdraw";
    const press = () => session.send({ type });
    const isPlaying = you.role === "player" && event.status !== "finished";
    byId("entry").replaceChildren(
      ...(isPlaying
        ? [
            h("p", {}, t("tournament.you", { name: you.name })),
            h("button", { type: "button", onclick: press }, t(`tournament.${type}`)),
          ]
        : []),
    );
    return;
  }
  if (event.status === "finished" || !event.doors_open) return byId("entry").replaceChildren();
  if (byId("entry").contains(nameField.element)) return;
  const form = h(
    "form",
    {
      class: "panel",
      onsubmit: (submit) => {
        submit.preventDefault();
        if (nameField.keep()) session.takePart(nameField.value);
      },
    },
    nameField.element,
    h("button", { type: "submit", class: "main" }, t("tournament.enter")),
  );
  byId("entry").replaceChildren(form);
}

function showOrganiser() {
  if (you.role !== "organiser") return;
  if (organiser === null) {
    organiser = new OrganiserPanel(name, event.settings.rules, (command) => session.send(command));
    const link = organiserPage(name, recallToken(organiserKey(name)));
    byId("organiser").append(
      organiser.element,
      h("details", { class: "panel" }, h("summary", {}, t("tournament.organiser_link")), h("p", {}, t("tournament.organiser_secret")), h("input", { readonly: true, value: link, "aria-label": t("tournament.organiser_link") })),
    );
  }
  organiser.show(event);
}

function showTables() {
  // A table that is replaced under the focus or an open choice would lose it.
  if (byId("tables").contains(document.activeElement)) return;
  byId("standings").replaceChildren(
    standingsTable(event, { ownId: you.id, more: (row) => organiser?.forPlayer(row) ?? null }),
  );
  const shown = event.games.length ? gameList(event.games, (game) => organiser?.forGame(game) ?? null) : h("p", {}, t("tournament.no_games"));
  byId("games").replaceChildren(shown);
}

function tick() {
  notice.tick(performance.now());
  if (event) setText(byId("clock"), timeLeft(event, Date.now() + clockSkew) ?? "");
}
