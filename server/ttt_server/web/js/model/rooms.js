// The lobby's list: which rooms, in which order. Pure.

import { rulesWords } from "./words.js";

/**
 * The rank of a room: an opponent waits in it, a game runs, the rest. `deserted` names the rooms whose
 * players are known to be away; those come last.
 */
function rank({ name, status, locked, seats }, deserted) {
  if (deserted.has(name)) return 3;
  if (status === "waiting" && !locked && (seats.X || seats.O)) return 0;
  return status === "playing" ? 1 : 2;
}

/** Rooms by rank, then by spectators, then by name. */
export const inOrder = (rooms, deserted) =>
  [...rooms].sort(
    (a, b) =>
      rank(a, deserted) - rank(b, deserted) || b.spectators - a.spectators || a.name.localeCompare(b.name),
  );

/** The same with the shown names in their places, for as long as a pointer or the focus is among them. */
export function steady(ordered, shown) {
  const places = new Map(shown.map((name, place) => [name, place]));
  const place = ({ name }) => places.get(name) ?? Infinity;
  // A sort keeps the order of the new ones, which come behind.
  return [...ordered].sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
}

/** Whether a room's name, players or board has each typed word. */
export function isMatch({ name, seats, rules }, typed) {
  const board = `${rulesWords(rules)} ${rules.columns}x${rules.rows}`;
  const text = `${name} ${seats.X ?? ""} ${seats.O ?? ""} ${board}`.toLowerCase();
  return typed.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
