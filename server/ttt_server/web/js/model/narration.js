// @ts-check
// The feed: what happened in the room and what was said, as lines of `{kind, text, …}`, with the `event` of each that is of one. Pure.

import { optionalText, t } from "./language.js";
import { becauseWords, choiceWords, isolated, moveWords, nameOf, outcomeWords, thoughtWords } from "./words.js";

/** @typedef {import("../../../../../docs/ttt").Event} Event */
/** @typedef {import("../../../../../docs/ttt").RoomState} RoomState */

/**
 * The feed lines of an update.
 * @param {RoomState | null} before
 * @param {import("../../../../../docs/ttt").UpdateMessage} update
 */
export function narrateUpdate(before, { events, room }) {
  const rematch = events.findLastIndex((event) => event.type === "started");
  return events.flatMap((event, index) => {
    // The players change sides with a rematch: earlier events are about the old sides.
    const seats = index < rematch && before ? before.seats : room.seats;
    const text = eventWords(event, { before, room, seats });
    return text ? [{ kind: event.type, seat: seatOf(event), text, event }] : [];
  });
}

/**
 * @param {Event} event
 * @param {{before: RoomState | null, room: {settings: {rules: RoomState["settings"]["rules"]}}, seats: RoomState["seats"]}} context
 */
function eventWords(event, { before, room, seats }) {
  const seat = seatOf(event);
  const { rules } = room.settings;
  const side = (mark) => sideWords(seats, mark, rules);
  switch (event.type) {
    case "seated":
      return t("event.seated", { name: isolated(nameOf(event.player, rules)), seat });
    case "left":
      return t("event.left", { name: isolated(nameOf(before?.seats[seat], rules)), seat });
    case "started":
      return startWords(event.game, seats, rules);
    case "played":
      return moveWords(event, rules) + (event.reason ? ` – ${isolated(thoughtWords(event.reason))}` : "");
    case "chosen":
      return choiceWords(event, sideWords(before?.seats ?? seats, event.seat, rules)); // by the sides before a swap
    case "offered":
    case "declined":
      return optionalText(`event.${event.type}.${event.kind}`, { name: side(seat) });
    case "taken_back":
      return t("event.taken_back", { ply: event.ply });
    case "renamed":
      return t("event.renamed", { name: sideWords(before?.seats ?? seats, seat, rules), now: isolated(event.name) });
    case "moderated":
      return t(`event.chat.${event.chat}`);
    case "slept":
      return t("event.slept", { name: side(seat), seconds: Math.round(event.given_back_ms / 1000) });
    case "ended":
      return endWords(event.outcome, rules);
    default:
      return null; // `created` needs no line, and a newer server may send events of more types
  }
}

/** @param {Event} event */
const seatOf = (event) => ("seat" in event ? event.seat : undefined);

/**
 * A message of the chat, as a line of the feed.
 * @param {import("../../../../../docs/ttt").SaidMessage} said
 */
export const narrateSaid = (said) => ({ ...said, kind: "said" });

/**
 * The feed lines before a welcome, in the order of time: what the record of the game has between two
 * numbers of events, and what was said. Null without a record.
 */
export function narratePast(record, since, until, said) {
  if (!record) return null;
  const { events, rules, seats } = record;
  const room = { settings: { rules }, seats };
  const past = events.filter(({ seq }) => seq > since && seq <= until);
  const lines = past.flatMap((event) => {
    const text = eventWords(event, { before: null, room, seats });
    return text ? [{ kind: event.type, seat: event.seat, at: event.at, text, event }] : [];
  });
  return [...lines, ...said.map(narrateSaid)].sort((a, b) => a.at - b.at);
}

/** The game before a welcome, where no record is to be had; `before` is the last known room, or null. */
export function narrateMissed(before, { game, seats, settings }) {
  if (!game) return [];
  const isSame = before?.game?.number === game.number;
  const moves = game.moves.map((cell, ply) => {
    const seat = game.board[cell];
    return { kind: "played", seat, text: moveWords({ ply, cell }, settings.rules) };
  });
  const known = isSame ? before.game.ply : 0;
  const { outcome } = game;
  return [
    ...(isSame ? [] : [{ kind: "started", text: startWords(game.number, seats, settings.rules) }]),
    ...moves.slice(known),
    ...(outcome && !(isSame && before.game.outcome) ? [{ kind: "ended", text: endWords(outcome, settings.rules) }] : []),
  ];
}

const sideWords = (seats, mark, rules) => `${isolated(nameOf(seats[mark], rules))} (${mark})`;

const startWords = (number, seats, rules) =>
  t("event.started", { number, x: sideWords(seats, "X", rules), o: sideWords(seats, "O", rules) });

const endWords = (outcome, rules) => t("pair", { what: outcomeWords(outcome), of: becauseWords(outcome, rules) });

/** A feed line for each seated player that went away or came back between two states. */
export function narratePresence(before, room) {
  return ["X", "O"].flatMap((mark) => {
    const [was, now] = [before.seats[mark], room.seats[mark]];
    if (!was || !now || was.id !== now.id || was.connected === now.connected) return [];
    const text = t(now.connected ? "event.back" : "event.away", { name: `${isolated(now.name)} (${mark})` });
    return [{ kind: "presence", text }];
  });
}
