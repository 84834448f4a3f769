// Storage of this browser: seat tokens by room, and the user's name.
// No token is in an address, so a shared link gives no seat away.

import { basePath } from "./address.js";

const keyOf = (room) => `ttt ${basePath} seat ${room}`;
const NAME = `ttt ${basePath} name`;

export const recallToken = (room) => read(keyOf(room));
export const rememberToken = (room, token) => keep(keyOf(room), token);
export const forgetToken = (room) => keep(keyOf(room), null);

export const recallName = () => read(NAME) ?? "";
export const rememberName = (name) => keep(NAME, name.trim() || null);

/** The rooms in which this browser has a seat. */
export function roomsWithToken() {
  const prefix = keyOf("");
  try {
    const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index));
    return keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  } catch {
    return [];
  }
}

function read(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // no access to storage: seats last as long as the page
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
