// Storage of this browser: seat tokens by room, and the names of its one or two players; for as long as
// the tab lives, passwords. No token is in an address, so a shared link gives no seat away.

import { basePath } from "./address.js";

const keyOf = (room, isSecond = false) => `ttt ${basePath} ${isSecond ? "second" : "seat"} ${room}`;
const nameKey = (isSecond) => `ttt ${basePath} ${isSecond ? "second name" : "name"}`;
const choiceKey = (of) => `ttt ${basePath} choice ${of}`;
const eventKey = (room) => `ttt ${basePath} event of ${room}`;
const boardsKey = (event) => `ttt ${basePath} boards of ${event}`;
const wayKey = (room) => `ttt ${basePath} way to ${room}`;
const personKey = `ttt ${basePath} person`;
const passwordKey = (room) => `ttt ${basePath} password ${room}`;

/** The token of the seat; `isSecond`: of the second player at this screen. */
export const recallToken = (room, isSecond = false) => read("localStorage", keyOf(room, isSecond));
export const rememberToken = (room, token, isSecond = false) => keep("localStorage", keyOf(room, isSecond), token);
export const forgetToken = (room, isSecond = false) => keep("localStorage", keyOf(room, isSecond), null);

export const recallName = (isSecond = false) => read("localStorage", nameKey(isSecond)) ?? "";
export const rememberName = (name, isSecond = false) => keep("localStorage", nameKey(isSecond), name.trim() || null);

/** The token of the person who keeps a name on this server; null for a guest. */
export const recallPerson = () => read("localStorage", personKey);
export const rememberPerson = (token) => keep("localStorage", personKey, token);

export const recallPassword = (room) => read("sessionStorage", passwordKey(room)) ?? undefined;
export const rememberPassword = (room, password) => keep("sessionStorage", passwordKey(room), password);
export const forgetPassword = (room) => keep("sessionStorage", passwordKey(room), null);

/** What this browser's user chose last: the sound, the theme, a side. */
export const recallChoice = (of) => read("localStorage", choiceKey(of));
export const rememberChoice = (of, value) => keep("localStorage", choiceKey(of), value);

/** A secret for a `join`: sent again, it finds the seat again whose welcome was lost. */
export function newClaimKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The event of a game's room, for as long as the tab lives. */
export const recallEvent = (room) => read("sessionStorage", eventKey(room));
export const rememberEvent = (room, event) => keep("sessionStorage", eventKey(room), event);

/** The rooms of all games that this browser has in an event at once. */
export const recallBoards = (event) => JSON.parse(read("sessionStorage", boardsKey(event)) ?? "[]");
export const rememberBoards = (event, rooms) => keep("sessionStorage", boardsKey(event), JSON.stringify(rooms));

/** "sent" to a game by the page of its event, or "arrived" there; null for others. */
export const recallWay = (room) => read("sessionStorage", wayKey(room));
export const rememberWay = (room, state) => keep("sessionStorage", wayKey(room), state);

/** All that this browser has a token of: rooms by name, and `event/NAME` and `event/NAME/organiser`. */
export function namesWithToken() {
  const prefix = keyOf("");
  try {
    const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index));
    return keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  } catch {
    return [];
  }
}

function read(storage, key) {
  try {
    return globalThis[storage].getItem(key);
  } catch {
    return null; // no access to storage: seats last as long as the page
  }
}

function keep(storage, key, value) {
  try {
    if (value === null) globalThis[storage].removeItem(key);
    else globalThis[storage].setItem(key, value);
  } catch {
    // As above.
  }
}
