// The front page: a board to play on at once, other ways into a game, your rooms, and live games.

import { t } from "../model/language.js";
import { inOrder, isLive, isMatch, isOpenTo, steady, summaryOf, withChanges } from "../model/rooms.js";
import { fetchAnswer, fetchJson, fetchRooms, movePage, roomPage, socketUrl, twoPage } from "../net/address.js";
import { Connection } from "../net/connection.js";
import { createRoom } from "../net/create_room.js";
import { forgetToken, namesWithToken, recallToken } from "../net/token_store.js";
import { byId, setChildren, setText } from "../view/dom.js";
import { FrontDoor } from "../view/lobby/front_door.js";
import { ConnectionNotice } from "../view/connection_notice.js";
import { RoomCard } from "../view/lobby/room_card.js";
import { addPart, loadTexts } from "../view/page.js";

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
let shownRooms = [];
let all = false;

const notice = new ConnectionNotice(() => connection.dial());
const connection = new Connection(socketUrl("lobby?changes=1"), {
  firstCommand: () => null,
  onMessage: (message) => {
    if (message.type === "rooms") take(message.rooms);
    if (message.type === "rooms_changed") take(withChanges(rooms, message));
  },
  onState: (state) => notice.update(state),
  ask: reread,
});
const door = new FrontDoor(
  ({ room, joinFields, isForTwo = false, cell = null }) =>
    createRoom(room, joinFields, {
      done: () => location.assign(isForTwo ? twoPage(room) : cell === null ? roomPage(room) : movePage(room, cell)),
      refused: (refusal) => door.refuse(refusal, room),
    }),
  (room) => location.assign(roomPage(room)),
);

document.title = t("app");
byId("notice").append(notice.element);
byId("first").append(door.board);
byId("door").append(door.element);
byId("filter").placeholder = t("lobby.filter");
byId("filter").addEventListener("input", () => show());
byId("more").addEventListener("click", () => {
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

/** On a lobby's socket nothing can be asked, so its list is read again. */
async function reread() {
  const list = await fetchRooms();
  if (!list) return;
  connection.heard();
  take(list);
}

function take(list) {
  const isFirst = rooms === null;
  rooms = list;
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
  const listed = new Set(rooms.map(({ name }) => name));
  const reachable = [...rooms, ...hidden.filter(({ name }) => !listed.has(name))];
  const known = new Map(reachable.map((room) => [room.name, room]));
  const isMine = ({ name }) => mine.has(name);
  showYours(reachable.filter(isMine), known);
  const typed = byId("filter").value.trim();
  const live = rooms.filter((room) => !isMine(room) && isLive(room));
  const others = (all ? rooms.filter((room) => !isMine(room)) : live).filter((room) => isMatch(room, typed));
  door.showWaiting(live.filter(isOpenTo));
  let ordered = inOrder(others);
  if (isHeld()) {
    const names = shownRooms.map(({ name }) => name);
    const gone = shownRooms.filter(({ name }) => !known.has(name));
    ordered = steady([...ordered, ...gone], names);
  }
  shownRooms = all ? ordered : ordered.slice(0, MOST_SHOWN);
  showCards(byId("rooms"), shownRooms, known);
  forgetOthers([...shownRooms, ...reachable.filter(isMine)]);
  setText(byId("status"), t("lobby.count", { count: live.length }));
  byId("none").hidden = ordered.length > 0;
  setText(byId("none"), t(typed ? "lobby.no_match" : "lobby.none"));
  byId("filter").hidden = !all && !typed;
  byId("more").hidden = all || shownRooms.length === rooms.filter((room) => !isMine(room)).length;
  setText(byId("more"), t("lobby.all", { count: rooms.length }));
}

function showYours(list, known) {
  byId("yours").hidden = list.length === 0;
  showCards(byId("your-rooms"), inOrder(list), known);
}

/** Whether a pointer or the focus is among the rooms, which stay in their places then. */
const isHeld = () => byId("rooms").matches(":hover, :focus-within");

function showCards(list, shown, known) {
  for (const room of shown) {
    const { name } = room;
    if (!cards.has(name)) cards.set(name, new RoomCard(room, mine.has(name)));
    cards.get(name).show(room, { isGone: !known.has(name) });
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
