// Numbers by chance, and the user's name made from them.

import { isGoodName, playerName, roomName } from "../model/names.js";
import { recallName, rememberName } from "../net/token_store.js";

const numbers = () => crypto.getRandomValues(new Uint32Array(3));

export const freshPlayerName = () => playerName(numbers());
export const freshRoomName = () => roomName(numbers());

let kept = "";

/** The user's name: the stored one, or a generated one, which is stored. */
export function ownName() {
  const name = recallName() || kept;
  return isGoodName(name) ? name : keepName(freshPlayerName());
}

export function keepName(name) {
  kept = name.trim(); // for a browser that stores nothing
  rememberName(kept);
  return kept;
}
