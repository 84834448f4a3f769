// The page of a room: watch, take a seat, play; alone, or two at this screen.

import { t } from "../model/language.js";
import { narrateMissed, narratePast, narratePresence, narrateSaid, narrateUpdate } from "../model/narration.js";
import {
  EMPTY_VIEW,
  fold,
  isAgainstAi,
  isOpening,
  isShared,
  isYourTurn,
  other,
  seatOf,
  seatsOf,
  speakerOf,
  withHint,
  withConnectionLost,
  withoutPending,
  withPartner,
  withPending,
} from "../model/state.js";
import { cellName, refusalWords } from "../model/words.js";
import { eventPage, fetchJson, isEmbedded, parseLocation, roomPage } from "../net/address.js";
import { Session } from "../net/session.js";
import { recallBoards, recallEvent, recallToken, recallWay, rememberWay } from "../net/token_store.js";
import { freshRoomName, ownName } from "../view/chance.js";
import { byId, h, setText } from "../view/dom.js";
import { ConnectionNotice } from "../view/connection_notice.js";
import { RoomView } from "../view/room/room_view.js";
import { addStyles, loadTexts, playSound } from "../view/page.js";

await loadTexts();

const TWICE_MS = 400; // a second press within this time after a move is none, where the turn may be yours again
const ANSWER_MS = 400; // the computer's mark comes so long after yours, to be seen
const RETURN_MS = 4_000; // for a look at how a game of an event ended

const { room: name } = parseLocation();
const isEmbed = isEmbedded();
let view = EMPTY_VIEW;
let focusOnSeat = false;
let isForTwo = Boolean(recallToken(name, true));
let server = null;
let ownBoards = null;
let eventNews = null;
let firstMove = null;
let playedAt = -TWICE_MS;
let held = null; // the game before the computer's answer, while that is kept back

const session = new Session(
  name,
  {
    onMessage,
    onOutside,
    onState,
    onNote: (refusal) => notice.say(refusalWords(refusal)),
    name: ownName,
  },
  { isOnlooker: isEmbed },
);
const partner = new Session(
  name,
  {
    onMessage: onPartnersMessage,
    onOutside: onPartnerGone,
    onState: () => {}, // the first player's connection tells
    onNote: (refusal) => notice.say(refusalWords(refusal)),
    name: () => ownName(true),
  },
  { isSecond: true },
);
const notice = new ConnectionNotice(() => {
  session.enter();
  if (view.partner) partner.enter();
});
const event = recallEvent(name);
const page = new RoomView(name, {
  play,
  full: (column) => notice.say(t("move.column_full", { column }), true),
  act,
  take,
  moderate: (fields) => send({ type: "moderate", ...fields }),
  rename,
  say: (text) => send({ type: "say", text }),
}, event !== null);

byId("notice").append(notice.element);
if (event) byId("event").append(h("a", { class: "button quiet", href: eventPage(event) }, t("tournament.back", { event })));
byId("open").href = roomPage(name);
document.body.classList.toggle("embed", isEmbed);
if (isEmbed) addStyles("css/embed.css");
enter();
if (event) showNews();
if (event && recallBoards(event).length > 1) followBoards();
addEventListener("renamed", ({ detail }) => view.you && rename(detail, seatOf(view)));
setInterval(tick, 100);

/** Enter; from a link that says "Join", with a seat; from "Two players here", with both. */
async function enter() {
  const { hash } = location;
  const isForSeat = hash === "#seat" && !recallToken(name);
  isForTwo ||= hash === "#two";
  const [, cell, keys] = /^#move=(\d*)(&keys)?$/.exec(hash) ?? [];
  if (cell) firstMove = Number(cell);
  focusOnSeat = Boolean(keys);
  if (!isEmbed) history.replaceState(null, "", roomPage(name));
  const seatLink = hash.startsWith("#seat=") && !recallToken(name) ? await joinOfLink(hash) : null;
  if (seatLink) join(seatLink);
  else if (isForSeat) join({ role: "player" });
  else session.enter();
}

/** Most visitors come by no such link: its module is loaded when needed, as that of sounds. */
async function joinOfLink(hash) {
  const { parseSeatLink } = await import("../model/seat_link.js");
  return parseSeatLink(hash);
}

function onMessage(message) {
  const before = view;
  view = fold(view, message, performance.now());
  switch (message.type) {
    case "welcome":
      return welcomed(before, message);
    case "update":
      notice.boardChanged();
      page.feed.add(narratePresence(before.room, view.room)); // an update may overtake the presence
      page.feed.add(narrateUpdate(before.room, message));
      agree();
      return changed(before, message.events);
    case "presence":
      page.feed.add(narratePresence(before.room, view.room));
      return show();
    case "said":
      playSound("said");
      return page.feed.add([narrateSaid(message)]);
    case "cleared":
      page.feed.clearChat();
      return page.feed.addNote(t("chat.cleared"));
    case "hint":
      return show();
    case "reading":
      return setText(byId("status"), `${t("connecting")} ${message.seq}`);
    case "refused":
      notice.say(refusalWords(message));
      if (message.command === "say") page.feed.giveBack();
      return show();
  }
}

function welcomed(before, message) {
  if (server !== null && server !== message.server) notice.offerReload();
  server = message.server;
  page.showPanel(null);
  held = null;
  goBackIfOver(before);
  tellPast(before.room, message.feed ?? []);
  sayIfLost(before);
  show();
  page.reveal(view.room.game?.moves.at(-1) ?? null);
  if (focusOnSeat && seatOf(view)) page.focusBoard(firstMove);
  focusOnSeat = false;
  if (firstMove !== null && isYourTurn(view) && view.room.game.ply === 0) play(firstMove);
  firstMove = null;
  if (isForTwo && !view.partner && seatOf(view)) partner.enter();
}

/** Write what happened before a welcome into the feed: from the game's record, if it may be read. */
async function tellPast(before, said) {
  const { room } = view;
  const since = before?.seq ?? 0;
  const write = page.feed.reserve();
  const token = isEmbed ? null : recallToken(name);
  const isOpen = token !== null || (!room.locked && room.settings.spectators);
  // Where spectators have a delay, a game can be read when they have seen its end.
  const isShown = !room.settings.delay_s || (room.game?.outcome && !seatOf(view));
  const hasMissed = room.game && room.seq > since && isOpen && isShown && !isEmbed;
  const record = hasMissed ? await fetchJson(`rooms/${name}/games/${room.game.number}`, token) : null;
  write(narratePast(record, since, room.seq, said) ?? [...narrateMissed(before, room), ...said.map(narrateSaid)]);
}

/** A move that was on its way as the connection broke may not have arrived. */
function sayIfLost({ pending }) {
  const { game, settings } = view.room;
  if (pending === null || game?.number !== pending.game || game.ply !== pending.ply || game.outcome) return;
  notice.say(t("move.lost", { cell: cellName(pending.cell, settings.rules) }));
}

function onPartnersMessage(message) {
  if (message.type === "welcome") view = withPartner(view, message.you);
  if (message.type === "hint") view = withHint(view, message);
  if (message.type === "refused") {
    notice.say(refusalWords(message));
    if (message.command === "play") view = withoutPending(view);
  }
  if (view.room) show();
}

function onPartnerGone(why, refusal) {
  isForTwo = false;
  view = withPartner(view, null);
  if (refusal) notice.say(refusalWords(refusal));
  if (view.room) show();
}

/** Two players at one screen agree by one press: the other accepts each offer at once. */
function agree() {
  const { offers } = view.room;
  if (!isShared(view)) return;
  for (const kind of Object.keys(offers)) {
    if (!offers[kind]) continue;
    const isTaken = sessionOf(other(offers[kind])).send({ type: "accept", kind });
    if (!isTaken) notice.say(t("move.no_line"));
  }
}

function onState(state) {
  if (state.state === "open" && notice.isShown) page.feed.addNote(t("line.back"));
  notice.update(state);
  byId("main").classList.toggle("stale", state.state !== "open");
  if (state.state !== "lost") return;
  view = withConnectionLost(view, performance.now());
  if (view.room) show();
}

/** Show a panel in place of the room. */
async function onOutside(why, refusal) {
  const outside = { ...EMPTY_VIEW };
  view = outside;
  held = null;
  partner.close();
  notice.update({ state: "open" });
  const panelActions = {
    create: join,
    unlock: (password) => session.unlock(password),
    take,
    again: () => session.enter(),
  };
  const { panelFor } = await import("../view/room/entry.js");
  if (view !== outside) return; // a welcome, or another refusal, has come meanwhile
  // A bare board makes no room.
  const panel = isEmbed && why === "none" ? h("div") : panelFor(why, refusal, name, panelActions);
  page.showPanel(panel, t(why === "none" ? "room.none" : "room.outside"));
}

function take(seat) {
  join({ role: "player", seat });
}

function join(joinFields) {
  focusOnSeat = true; // the pressed button is gone then
  session.join(joinFields);
}

/** The session of the player in a seat. */
const sessionOf = (seat) =>
  view.partner && seat && view.room.seats[seat]?.id === view.partner.id ? partner : session;

function send(command, seat = null) {
  const went = sessionOf(seat).send(command);
  if (!went) notice.say(t("move.no_line"));
  return went;
}

function act(action) {
  if (action.leave) leave();
  else if (action.onceMore) onceMore();
  else if (action.both) partner.enter();
  else if (action.share) share();
  else send(action.command, speakerOf(view, action.command));
}

function leave() {
  if (view.partner || isForTwo) partner.leave();
  session.leave();
}

function rename(newName, mark) {
  send({ type: "rename", name: newName }, mark);
}

async function share() {
  const { room } = view;
  const { shareGameOf } = await import("../view/share_game.js");
  shareGameOf(name, room);
}

/** The same AIs again, in a room of their own. */
async function onceMore() {
  const { createRoom } = await import("../net/create_room.js");
  const room = freshRoomName();
  createRoom(
    room,
    { role: "spectator", name: ownName(), settings: view.room.settings },
    {
      done: () => location.assign(roomPage(room)),
      refused: (refusal) => notice.say(refusalWords(refusal)),
    },
  );
}

function play(cell) {
  const now = performance.now();
  const { game: { number, ply }, settings } = view.room;
  const isQuick = (settings.rules.gravity || isAgainstAi(view)) && !isShared(view) && !isOpening(view);
  if (isQuick && (held || now < playedAt + TWICE_MS)) return;
  const move = { game: number, ply, cell };
  if (!send({ type: "play", ...move }, seatOf(view))) return;
  playedAt = now;
  view = withPending(view, move, now);
  show();
}

function changed(before, events) {
  const isAnswer = events.some((event) => event.type === "played" && view.room.seats[event.seat]?.kind === "ai");
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const waitMs = isAnswer && isAgainstAi(view) && !isCalm ? playedAt + ANSWER_MS - performance.now() : 0;
  if (waitMs > 0) {
    held ??= before.room.game; // of two stones the first may be kept back already
    show();
    setTimeout(() => held && shown(before, events), Math.ceil(waitMs));
  } else shown(before, events);
}

function shown(before, events) {
  held = null;
  show();
  const played = events.findLast((event) => event.type === "played");
  if (played) page.reveal(played.cell);
  if (goBackIfOver(before)) playSound("ended");
  else if (played) playSound(isYourTurn(view) ? "turn" : played.seat);
}

/** Whether the game has ended since, or on the way here; from one of an event the page goes back there. */
function goBackIfOver({ room }) {
  const wasOpen = room ? !room.game?.outcome : recallWay(name) === "sent";
  if (!room && wasOpen) rememberWay(name, "arrived");
  const isOver = wasOpen && view.room.game?.outcome;
  if (isOver && event && !ownBoards) setTimeout(() => location.assign(eventPage(event)), RETURN_MS);
  return isOver;
}

const shownView = () => (held ? { ...view, room: { ...view.room, status: "playing", game: held } } : view);

function show() {
  page.show(shownView(), performance.now());
  ownBoards?.follow(view);
}

async function showNews() {
  const { EventNews } = await import("../view/room/event_news.js");
  eventNews = new EventNews(event, name);
  byId("news").append(eventNews.element);
}

async function followBoards() {
  const { OwnBoards } = await import("../view/room/own_boards.js");
  ownBoards = new OwnBoards(event, recallBoards(event), name);
  byId("event").prepend(ownBoards.element);
  ownBoards.follow(view);
}

function tick() {
  const now = performance.now();
  notice.tick(now);
  eventNews?.tick(Date.now());
  page.showLatency(session.isInside, session.latency());
  if (view.room) page.tick(shownView(), now);
}
