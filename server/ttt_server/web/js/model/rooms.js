// @ts-check
// The lobby's list: which rooms, in which order. Pure.

import { nameOf, rulesWords } from "./words.js";

/**
 * The rank of a room: an opponent waits in it, a game runs, the rest; those without a connected player
 * come last.
 */
function rank({ status, locked, seats, deserted }) {
  if (deserted) return 3;
  if (status === "waiting" && !locked && (seats.X || seats.O)) return 0;
  return status === "playing" ? 1 : 2;
}

/** Whether people play here, or a player waits for another. */
export const isLive = (room) => rank(room) < 2 && !room.ais;

/** Whether a player waits here for anyone. */
export const isOpenTo = (room) => rank(room) === 0;

/** Rooms by rank, then by spectators, then by name. */
export const inOrder = (rooms) =>
  [...rooms].sort((a, b) => rank(a) - rank(b) || b.spectators - a.spectators || a.name.localeCompare(b.name));

/** The list after a message of the lobby that tells what changed in it. */
export function withChanges(list, { rooms, gone }) {
  const known = new Map([...list, ...rooms].map((room) => [room.name, room]));
  for (const name of gone) known.delete(name);
  return [...known.values()];
}

/** A room's state as the lobby lists it. */
export function summaryOf({ name, status, settings, seats, game, spectators, locked }) {
  const called = (seat) => seat && nameOf(seat, settings.rules);
  const names = { X: called(seats.X), O: called(seats.O) };
  return { name, status, rules: settings.rules, seats: names, ply: game?.ply ?? 0, spectators, locked };
}

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
