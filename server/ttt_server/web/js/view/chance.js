// Numbers by chance, and the names of this screen's players made from them.

import { isGoodName, playerName, roomName, seatsRoomName } from "../model/names.js";
import { fetchAnswer } from "../net/address.js";
import { recallName, rememberName } from "../net/token_store.js";

const numbers = () => crypto.getRandomValues(new Uint32Array(3));

export const freshPlayerName = () => playerName(numbers());
export const freshRoomName = () => roomName(numbers());

/** A code of four digits, as people read it out, that no event has yet. */
export async function freshCode() {
  for (;;) {
    const code = String(1000 + (numbers()[0] % 9000));
    if ((await fetchAnswer(`events/${code}`)).status !== 200) return code;
  }
}

/** The name of a room for links to its seats, which nobody can guess. */
export const seatsRoom = () => seatsRoomName(crypto.getRandomValues(new Uint8Array(8)));

const kept = new Map(); // for a browser that stores nothing

/** A player's name: the stored one, or a generated one, which is stored. */
export function ownName(isSecond = false) {
  const name = recallName(isSecond) || kept.get(isSecond) || "";
  return isGoodName(name) ? name : keepName(freshPlayerName(), isSecond);
}

export function keepName(name, isSecond = false) {
  kept.set(isSecond, name.trim());
  rememberName(kept.get(isSecond), isSecond);
  if (!isSecond) dispatchEvent(new CustomEvent("named", { detail: kept.get(isSecond) }));
  return kept.get(isSecond);
}
