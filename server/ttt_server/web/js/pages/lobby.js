// The front page: a board to play on at once, other ways into a game, your rooms, and live games.

import { t } from "../model/language.js";
import { inOrder, isLive, isMatch, isOpenTo, steady, summaryOf, withChanges } from "../model/rooms.js";
import { fetchAnswer, fetchJson, movePage, roomPage, socketUrl, twoPage } from "../net/address.js";
import { Connection } from "../net/connection.js";
import { createRoom } from "../net/create_room.js";
import { forgetToken, namesWithToken, recallToken } from "../net/token_store.js";
import { byId, setChildren, setText } from "../view/dom.js";
import { FrontDoor } from "../view/lobby/front_door.js";
import { ConnectionNotice } from "../view/connection_notice.js";
import { RoomCard } from "../view/lobby/room_card.js";
import { addPart, loadTexts } from "../view/page.js";

const PAGE = 200;
const MOST_SHOWN = 9;
const MOST_HIDDEN = 12;
const MOST_EVENTS = 6;
const EVENTS_EVERY_MS = 60_000;

await loadTexts("home");

const cards = new Map();
const kept = namesWithToken();
const mine = new Set(kept.filter((name) => !name.includes("/")));
const hidden = [];
let rooms = null;
let total = 0;
let seeking = [];
let further = []; // rooms of later pages, as they were when they were asked for
let hasLast = false; // the last page among them
let shownRooms = [];
let all = false;

const notice = new ConnectionNotice(() => connection.dial());
const connection = new Connection(socketUrl("lobby?changes=1"), {
  firstCommand: () => null,
  onMessage: (message) => {
    seeking = message.seeking ?? (message.type === "rooms" ? [] : seeking);
    if (message.type === "rooms") take(message.rooms, message.total);
    if (message.type === "rooms_changed") take(withChanges(rooms, message), message.total);
  },
  onState: (state) => {
    notice.update(state);
    if (state.state === "open") door.reached();
  },
  ask: reread,
});
let isMaking = false;
const door = new FrontDoor(make, (room) => location.assign(roomPage(room)));

document.title = t("app");
byId("notice").append(notice.element);
byId("first").append(door.board);
byId("door").append(door.element);
byId("filter").placeholder = t("lobby.filter");
byId("filter").addEventListener("input", () => show());
byId("more").addEventListener("click", () => {
  if (all) return readOn();
  all = true;
  show();
});
for (const event of ["pointerleave", "focusout"])
  byId("live").addEventListener(event, () => setTimeout(show)); // once the focus has moved on
setInterval(() => notice.tick(performance.now()), 250);
connection.dial();
showYourEvents();
showEvents();
setInterval(() => document.hidden || showEvents(), EVENTS_EVERY_MS);

/** Make a room, and go there; a second press before that is none. */
function make({ room, joinFields, isForTwo = false, cell = null }) {
  if (isMaking) return;
  isMaking = true;
  createRoom(room, joinFields, {
    done: () => {
      isMaking = false;
      location.assign(isForTwo ? twoPage(room) : movePage(room, cell, document.querySelector(":focus-visible")));
    },
    refused: (refusal) => {
      isMaking = false;
      door.refuse(refusal, room);
    },
  });
}

/** On a lobby's socket nothing can be asked, so its list is read again. */
async function reread() {
  const page = await fetchJson(`rooms?limit=${PAGE}`);
  if (!page) return;
  connection.heard();
  take(page.rooms, page.total);
}

/** Read the page of the list that follows on the last one. */
async function readOn() {
  const { name } = (further.length ? further : rooms).reduce((a, b) => (a.name > b.name ? a : b));
  const page = await fetchJson(`rooms?limit=${PAGE}&after=${name}`);
  if (!page) return;
  further.push(...page.rooms);
  hasLast = !page.after;
  show();
}

/** All rooms that are known, those of the first page as they are now. */
function known() {
  const live = new Set(rooms.map(({ name }) => name));
  return [...rooms, ...further.filter(({ name }) => !live.has(name))];
}

/** Take the first page; an older server does not tell how many rooms there are in all. */
function take(list, count = list.length) {
  const isFirst = rooms === null;
  rooms = list;
  total = count;
  show();
  if (isFirst) findHidden();
}

/** Find your rooms that are not on the list for all. */
async function findHidden() {
  const listed = new Set(rooms.map(({ name }) => name));
  for (const name of [...mine].filter((each) => !listed.has(each)).slice(0, MOST_HIDDEN)) {
    const { status, body } = await fetchAnswer(`rooms/${name}`, recallToken(name));
    if (body) hidden.push(summaryOf(body));
    if (status === 404) forgetToken(name); // the room is gone, and the seat with it
  }
  show();
}

async function showYourEvents() {
  if (!kept.some((name) => name.startsWith("event/"))) return;
  const { ownEventCards } = await import("../view/own_events.js");
  await addPart("event");
  const cards = await ownEventCards();
  byId("events").replaceChildren(...cards);
  byId("your-events").hidden = cards.length === 0;
}

/** Show the events that are for all, but not those among yours. */
async function showEvents() {
  const own = new Set(kept.map((key) => key.split("/")[1]));
  const events = (await fetchJson("events"))?.events.filter(({ event }) => !own.has(event));
  if (!events) return;
  const section = byId("open-events");
  if (events.length) {
    const { listedEventCards } = await import("../view/own_events.js");
    if (section.hidden) await addPart("event");
    byId("listed").replaceChildren(...listedEventCards(events.slice(0, MOST_EVENTS)));
  }
  section.hidden = events.length === 0;
}

function show() {
  if (rooms === null) return;
  const list = known();
  const listed = new Set(list.map(({ name }) => name));
  const reachable = [...list, ...hidden.filter(({ name }) => !listed.has(name))];
  const byName = new Map(reachable.map((room) => [room.name, room]));
  const isMine = ({ name }) => mine.has(name);
  showYours(reachable.filter(isMine), byName);
  const typed = byId("filter").value.trim();
  const live = list.filter((room) => !isMine(room) && isLive(room));
  const others = (all ? list.filter((room) => !isMine(room)) : live).filter((room) => isMatch(room, typed));
  door.showWaiting(live.filter(isOpenTo), seeking);
  let ordered = inOrder(others);
  if (isHeld()) {
    const names = shownRooms.map(({ name }) => name);
    const gone = shownRooms.filter(({ name }) => !byName.has(name));
    ordered = steady([...ordered, ...gone], names);
  }
  shownRooms = all ? ordered : ordered.slice(0, MOST_SHOWN);
  showCards(byId("rooms"), shownRooms, byName);
  forgetOthers([...shownRooms, ...reachable.filter(isMine)]);
  setText(byId("status"), t("lobby.count", { count: live.length }));
  byId("none").hidden = ordered.length > 0;
  setText(byId("none"), t(typed ? "lobby.no_match" : "lobby.none"));
  byId("filter").hidden = !all && !typed;
  const isWhole = hasLast || list.length >= total;
  byId("more").hidden = isWhole && (all || shownRooms.length === list.filter((room) => !isMine(room)).length);
  const wholeCount = t("lobby.all", { count: list.length });
  setText(byId("more"), isWhole ? wholeCount : t("lobby.part", { shown: list.length, total }));
}

function showYours(list, byName) {
  byId("yours").hidden = list.length === 0;
  showCards(byId("your-rooms"), inOrder(list), byName);
}

/** Whether a pointer or the focus is among the rooms, which stay in their places then. */
const isHeld = () => byId("rooms").matches(":hover, :focus-within");

function showCards(list, shown, byName) {
  for (const room of shown) {
    const { name } = room;
    if (!cards.has(name)) cards.set(name, new RoomCard(room, mine.has(name)));
    cards.get(name).show(room, { isGone: !byName.has(name) });
  }
  setChildren(
    list,
    shown.map(({ name }) => cards.get(name).element),
  );
}

function forgetOthers(kept) {
  const names = new Set(kept.map(({ name }) => name));
  for (const [name, card] of cards) {
    if (names.has(name)) continue;
    card.close();
    cards.delete(name);
  }
}
