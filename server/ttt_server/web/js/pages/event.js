// The page of an event: take part, follow it, organise it. A player goes to each game by itself.

import { t } from "../model/language.js";
import { entryOf, eventRefusalWords, namesIn, nextWords, statusWords, timeLeft } from "../model/event_words.js";
import { roomRulesWords } from "../model/words.js";
import { eventOfLocation, eventPage, fetchAnswer, fetchJson, newEventPage, organiserPage, roomPage, wallPage } from "../net/address.js";
import { EventSession, organiserKey } from "../net/event_session.js";
import { recallToken, recallWay, rememberBoards, rememberEvent, rememberToken, rememberWay } from "../net/token_store.js";
import { byId, h, setText } from "../view/dom.js";
import { EventEntry } from "../view/event/entry.js";
import { bracketOf, GameList, Standings } from "../view/event/tables.js";
import { ConnectionNotice } from "../view/connection_notice.js";
import { addPart, loadTexts } from "../view/page.js";

await loadTexts("event", "home", "share");

const AGAIN_MS = 2_000;

const name = eventOfLocation();
let you = null;
/** The player of this browser. */
let player = null;
let event = null;
let clockSkew = 0;
let organiser = null;
/** The module of the organiser's parts, which most visitors do not need. */
let organising = null;
/** The players who were removed, where this page organises. */
let removed = [];
let lastGame = null;

const session = new EventSession(name, {
  onMessage,
  onOutside,
  onState: (state) => notice.update(state),
});
const notice = new ConnectionNotice(() => session.enter());
/** An organiser who takes part does so on a second connection: each has one role. */
const second = new EventSession(
  name,
  { onMessage: onPlayersMessage, onOutside: () => {}, onState: () => {} },
  { as: "player" },
);
const playing = () => (you.role === "organiser" ? second : session);
const entry = new EventEntry(byId("entry"), {
  enter: (typed) => playing().takePart(typed),
  withdraw: () => send(playing(), { type: "withdraw" }),
  comeBack: () => send(playing(), { type: "return" }),
  ask: () => playing().comeBack(),
});
const standings = new Standings();
const games = new GameList();

setText(byId("name"), name); // until its title is known
byId("notice").append(notice.element);
byId("wall").href = wallPage(name);
byId("standings").append(standings.element);
byId("games").append(games.element);
const { isNew, again } = takeHash();
if (recallToken(organiserKey(name))) await loadOrganising();
session.enter();
setInterval(tick, 500);
showShare();

/** Keep the token of an organiser's link, and take it out of the address; return whether this page makes the event. */
function takeHash() {
  const hash = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  if (hash.organise) rememberToken(organiserKey(name), hash.organise);
  if (hash.organise) history.replaceState(null, "", eventPage(name));
  return { isNew: "new" in hash, again: hash.new || null };
}

async function showShare() {
  const { Share } = await import("../view/share.js");
  byId("share").append(new Share(eventPage(name), { label: t("tournament.link"), title: t("tournament.link") }).element);
}

async function loadOrganising() {
  const { OrganiserPanel, organiserLink } = await import("../view/event/organiser_panel.js");
  organising = { OrganiserPanel, organiserLink };
}

function onMessage(message) {
  switch (message.type) {
    case "welcome":
      return welcomed(message);
    case "event":
      return show(message.event);
    case "games":
      return goToGame(message.games);
    case "removed":
      removed = message.players;
      return showTables();
    case "invitation":
      return organiser?.invite(message.token);
    case "refused":
      return notice.say(eventRefusalWords(message));
  }
}

function welcomed(message) {
  you = message.you;
  removed = [];
  if (you.role !== "organiser") player = you.role === "player" ? you : null;
  if (you.role === "organiser" && second.hasPlayer && !player) second.enter();
  show(message.event);
}

/** Hear what is for the player alone: the organiser's connection tells of the event. */
function onPlayersMessage(message) {
  if (message.type === "games") return goToGame(message.games);
  if (message.type === "refused") return notice.say(eventRefusalWords(message));
  if (message.type === "welcome") player = message.you;
  showEntry();
  if (message.type === "welcome") showTables();
}

async function onOutside(refusal) {
  byId("inside").hidden = true;
  byId("wall").hidden = true;
  if (isNew) return showForm();
  setText(byId("status"), refusal.code === "no_such_room" ? t("tournament.none") : eventRefusalWords(refusal));
  const make = h("a", { href: newEventPage(name), onclick: () => setTimeout(() => location.reload()) }, t("tournament.make", { event: name }));
  entry.replace(h("section", { class: "panel" }, h("p", {}, t("code.unknown")), make));
}

/** Show the questions that make the event; for the same players again, with the answers of before. */
async function showForm() {
  const { EventForm } = await import("../view/event/form.js");
  await addPart("form");
  await loadOrganising();
  const earlier = again && (await fetchJson(`events/${again}`));
  setText(byId("name"), t("door.run"));
  setText(byId("status"), t("tournament.code", { event: name }));
  document.title = `${t("door.run")} · ${t("app")}`;
  const form = new EventForm((title, settings) => session.create(title, settings), earlier?.settings ?? null);
  entry.replace(form.element);
}

/** Go to a game that has just begun, to the first of several; games left by hand are not gone to again. */
function goToGame(games) {
  byId("yours").replaceChildren(
    ...games.map((game) => {
      rememberToken(game.room, game.token);
      rememberEvent(game.room, name);
      const opponent = event ? namesIn(event)(game.opponent) : game.opponent;
      const words = t("tournament.to_game", { opponent, mark: game.seat });
      return h("a", { class: "button main", href: roomPage(game.room) }, words);
    }),
  );
  rememberBoards(name, games.map(({ room }) => room));
  const next = games.find(({ room }) => recallWay(room) === null);
  if (!next || lastGame === next.room) return;
  lastGame = next.room;
  for (const { room } of games) rememberWay(room, "sent");
  location.assign(roomPage(next.room));
}

/** Whether a command went; the page says so if it did not. */
function send(connection, command) {
  const went = connection.send(command);
  if (!went) notice.say(t("move.no_line"));
  return went;
}

function show(state) {
  event = state;
  clockSkew = event.now - Date.now();
  setText(byId("name"), event.title);
  setText(byId("form"), `${t(`tournament.form.${event.form}`)} · ${roomRulesWords(event.settings)}`);
  byId("inside").hidden = false;
  byId("wall").hidden = you.role === "player"; // they look at the front
  byId("inside").classList.toggle("over", event.status === "finished");
  byId("share").hidden = event.status === "finished" || !event.doors_open || you.role === "player";
  byId("announcements").replaceChildren(...event.announcements.map((text) => h("li", {}, ...announced(text))));
  const hasBracket = event.bracket && event.status !== "created";
  byId("bracket").replaceChildren(...(hasBracket ? [bracketOf(event.bracket)] : []));
  showEntry();
  showOrganiser();
  showTables();
  tick();
  if (event.status === "finished" && !isRated(event)) showRatings();
}

/** An announcement; in an event that is over, a code in it leads to the next one. */
function announced(text) {
  if (event.status !== "finished") return [text];
  return text.split(/\b(\d{4})\b/).map((part, index) => (index % 2 ? h("a", { class: "button", href: eventPage(part) }, part) : part));
}

const isRated = ({ standings }) => standings.some(({ elo }) => elo !== undefined);

/** The results have ratings, and all rows and games, over HTTP alone; a class that asks at once has to wait. */
async function showRatings() {
  const { status, body } = await fetchAnswer(`events/${name}`);
  if (status === 503 || status === 429) return void setTimeout(showRatings, AGAIN_MS * (1 + Math.random()));
  if (body?.seq !== event.seq || !isRated(body)) return;
  event = body;
  showTables();
}

function showEntry() {
  const kind = entryOf(event, player, you.role, playing().removal);
  const row = ownRow();
  entry.show(kind, row?.name ?? player?.name, row, event.status);
  if (kind === "removed" || kind === "out") byId("yours").replaceChildren();
}

const ownRow = () => event.standings.find(({ id }) => id === player?.id);

function showOrganiser() {
  if (you.role !== "organiser") return;
  if (organiser === null) {
    const { organiserLink, OrganiserPanel } = organising;
    organiser = new OrganiserPanel(name, event.settings.rules, (command) => send(session, command));
    const link = organiserPage(name, recallToken(organiserKey(name)));
    byId("organiser").append(
      organiser.element,
      h("details", { class: "panel" }, h("summary", {}, t("tournament.organiser_link")), h("p", {}, t("tournament.organiser_secret")), organiserLink({ value: link })),
    );
  }
  organiser.show(event);
}

function showTables() {
  standings.show(event, {
    ownId: player?.id,
    more: organiser?.forPlayer,
    removed,
    moreOfRemoved: organiser?.forRemoved,
  });
  games.show(event, organiser?.forGame);
  byId("no-games").hidden = event.games.length > 0;
}

function tick() {
  notice.tick(performance.now());
  if (!event) return;
  const now = Date.now() + clockSkew;
  setText(byId("clock"), timeLeft(event, now) ?? "");
  setText(byId("status"), statusWords(event, now));
  entry.showNext(player ? nextWords(event, ownRow() ?? player, now) : "");
  document.title = `${statusWords(event, now)} · ${event.title}`;
}
