// What this browser keeps: the tokens of its seats, by room, and the name that was typed.
// Never in an address: who is sent a link gets no seat with it.

import { site } from "./address.js";

const keyOf = (room) => `ttt ${site} seat ${room}`;
const NAME = `ttt ${site} name`;

export const recall = (room) => read(keyOf(room));
export const remember = (room, token) => keep(keyOf(room), token);
export const forget = (room) => keep(keyOf(room), null);

export const recallName = () => read(NAME) ?? "";
export const rememberName = (name) => keep(NAME, name.trim() || null);

function read(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // storage is forbidden here: seats last as long as the page
  }
}

function keep(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // As above.
  }
}
