// @ts-check
// The view of a room, folded from the messages of the server. Pure: each message gives a new view.

/**
 * The view before the welcome. `receivedAt`: when the room's state came, in the ms of `now`.
 * `pending`: a move that is sent and not answered, `{game, ply, cell, mark, sentAt}`. `downAt`: when the
 * line was lost; null while it is up. `partner`: the second player at this screen, as `you`, or null.
 * `aheadMs`: the server's Unix time less `now`; null until the server tells it.
 * `muted`: the ids of the members that are muted, as the host knows them. `declined`: for each kind of
 * offer the seat that declined it last in this game, and at which ply.
 */
export const EMPTY_VIEW = {
  you: null,
  partner: null,
  room: null,
  receivedAt: 0,
  hint: null,
  pending: null,
  downAt: null,
  aheadMs: null,
  muted: [],
  reasons: { X: null, O: null },
  awaySince: { X: null, O: null },
  declined: {},
};

const OFFER_PAUSE = 3; // moves until a declined offer may be made again

/** @typedef {import("../../../../../docs/ttt").Message} Message */

/**
 * The view after a message that came at `now`.
 * @param {any} view
 * @param {Message} message
 * @param {number} now
 */
export function fold(view, message, now) {
  switch (message.type) {
    case "welcome":
      return withRoom(withWelcome(view, message, now), message.room, now);
    case "update":
      return withRoom(withDeclined(withReasons(view, message.events), message), message.room, now);
    case "refused":
      return refused(message.command === "play" ? { ...view, pending: null } : view, message, now);
    case "presence":
      return view.room ? present(view, message, now) : view;
    case "hint":
      return { ...view, hint: message };
    default:
      return view; // chat, goodbyes, and messages of a newer server
  }
}

/** @param {any} view @param {import("../../../../../docs/ttt").WelcomeMessage} message @param {number} now */
function withWelcome(view, { you, at, muted = [] }, now) {
  const aheadMs = at == null ? null : at - now;
  return { ...view, you, aheadMs, muted, hint: null, pending: null, downAt: null };
}

/** The view with a move that was sent at `now`. */
export const withPending = (view, { game, ply, cell }, now) => ({
  ...view,
  pending: { game, ply, cell, mark: markAt(ply, view.room.settings.rules), sentAt: now },
});

/** The view with the second player at this screen; null after they left. */
export const withPartner = (view, partner) => ({ ...view, partner });

/** The view after the second player's move was refused. */
export const withoutPending = (view) => ({ ...view, pending: null });

/** The view with a hint that the second player asked for. */
export const withHint = (view, hint) => ({ ...view, hint });

/** The view after the connection was lost, or was found lost already. Clocks stand still until a welcome. */
export const withConnectionLost = (view, now) => ({ ...view, downAt: view.downAt ?? now });

/** Whether a press on the board is a move: your turn, a connection, and no move on its way. */
export const mayPlay = (view) => isYourTurn(view) && view.pending === null && view.downAt === null;

/** Whether both seats are taken by AIs. */
export const isOfAis = ({ settings: { seats } }) => seats.X !== "human" && seats.O !== "human";

/** Whether you play an AI, with nobody else to talk to. */
export const isAgainstAi = (view) =>
  seatOf(view) !== null && view.room.spectators === 0 && view.room.seats[other(seatOf(view))]?.kind === "ai";

/** The seats of this screen now: the players change sides with a rematch. */
export function seatsOf({ you, partner, room }) {
  const ids = [you?.id, partner?.id].filter(Boolean);
  return ["X", "O"].filter((mark) => ids.includes(room?.seats[mark]?.id));
}

/** Whether you made the room, and so keep order in it. */
export const isHost = ({ you }) => you?.host === true;

/** The members who may chat: "all", "players", or "off". */
export const chatModeOf = ({ room }) => room.chat ?? "all";

/** Whether both players sit at this screen. */
export const isShared = (view) => seatsOf(view).length === 2;

/** Your seat now; of two at this screen, the seat to move. */
export const seatOf = (view) => (isShared(view) && (toMove(view) ?? chooser(view))) || (seatsOf(view)[0] ?? null);

/** The seat that a command comes from: of two at this screen, an answer is the other player's. */
export function speakerOf(view, { type, kind }) {
  const seat = seatOf(view);
  if (!isShared(view)) return seat;
  if (type === "accept" || type === "decline") return other(view.room.offers[kind]);
  // A move is taken back by the player who made it.
  return type === "offer" && kind === "takeback" ? other(seat) : seat;
}

/** The number of games of a room that are over. */
export const gamesOver = ({ game }) => (game ? game.number - (game.outcome ? 0 : 1) : 0);

export const other = (mark) => (mark === "X" ? "O" : "X");

/** The mark of the stone after `ply` others: marks alternate, even where one seat places several in an opening. */
export function markAt(ply, rules) {
  const variant = rules?.variant;
  if (variant === "notakto") return "X";
  return (variant === "connect6" ? (ply + 1) >> 1 : ply) % 2 ? "O" : "X";
}

/** The seat of the player who has to choose in an opening; null while a stone is to be placed. */
export const chooser = ({ room }) => (room?.status === "playing" ? (room.game.choosing ?? null) : null);

/** Whether the opening is not over: a choice is open, or comes when some stones are placed. */
export const isOpening = ({ room: { game } }) => Boolean(game && !game.outcome && (game.choosing || game.to_place));

/** The seat to move; null while there is none. */
export const toMove = (view) => (view.room?.status === "playing" && !chooser(view) ? view.room.game.turn : null);

export const isYourTurn = (view) => toMove(view) !== null && toMove(view) === seatOf(view);

/** The kinds of the other player's open offers. Two at one screen need no answer. */
export function offered(view) {
  const seat = seatOf(view);
  if (!seat || isShared(view)) return [];
  return Object.keys(view.room.offers).filter((kind) => view.room.offers[kind] === other(seat));
}

/** The moves until your offer, which was declined, may be made again; 0 if it may. */
export function offerWaits(view, kind) {
  const { seat, ply } = view.declined[kind] ?? {};
  return seat === other(seatOf(view)) ? Math.max(0, ply + OFFER_PAUSE - view.room.game.ply) : 0;
}

/** The board on which a room's games begin, as a game has it; null for an empty one. */
export function startOf({ rules, start }) {
  if (!start?.length) return null;
  const cells = Array(rules.columns * rules.rows).fill(".");
  start.forEach((cell, at) => (cells[cell] = markAt(at, rules)));
  return { board: cells.join(""), moves: start, outcome: null };
}

/** The milliseconds that a side has left at `now`; null without a clock. */
export function timeLeft({ room, receivedAt, downAt }, mark, now) {
  const clock = room?.game?.clock;
  if (!clock) return null;
  return Math.max(0, clock[mark] - (clock.running === mark ? (downAt ?? now) - receivedAt : 0));
}

function withRoom(view, room, now) {
  const stays = view.room?.game?.number === room.game?.number && view.room?.game?.ply === room.game?.ply;
  return {
    ...view,
    room,
    receivedAt: now,
    pending: isWaiting(view.pending, room.game) ? view.pending : null,
    hint: stays && !room.game?.outcome ? view.hint : null, // a hint is about one position
    awaySince: away(view, room, now),
  };
}

const isWaiting = (pending, game) =>
  pending !== null && game?.number === pending.game && game.ply === pending.ply && !game.outcome;

/** @param {any} view @param {{room?: any}} message @param {number} now */
const refused = (view, { room }, now) => (room ? withRoom(view, room, now) : view);

/**
 * The time since when each player is away: as the server says, or else when this page first saw it;
 * null for the others.
 */
function away(view, room, now) {
  const since = (mark) => {
    const seat = room.seats[mark];
    if (!seat || seat.connected) return null;
    if (seat.away_since != null && view.aheadMs !== null) return seat.away_since - view.aheadMs;
    const before = view.room?.seats[mark];
    return before?.id === seat.id && view.awaySince[mark] !== null ? view.awaySince[mark] : now;
  };
  return { X: since("X"), O: since("O") };
}

function withReasons(view, events) {
  const reasons = { ...view.reasons };
  for (const event of events) {
    // Events of a newer server change nothing here.
    if (event.type === "started") reasons.X = reasons.O = null;
    if (event.type === "played") reasons[event.seat] = event.reason ?? null;
    if (event.type === "taken_back")
      for (const ply of [event.ply, event.ply + 1]) if (ply < view.room.game.ply) reasons[markAt(ply, view.room.settings.rules)] = null;
  }
  return { ...view, reasons };
}

function withDeclined(view, { events, room }) {
  let { declined } = view;
  for (const event of events) {
    if (event.type === "started") declined = {};
    if (event.type === "declined" && room.game) declined = { ...declined, [event.kind]: { seat: event.seat, ply: room.game.ply } };
  }
  return { ...view, declined };
}

function present(view, { seats, spectators }, now) {
  const seated = (mark) => view.room.seats[mark] && { ...view.room.seats[mark], connected: seats[mark] };
  const room = { ...view.room, seats: { X: seated("X"), O: seated("O") }, spectators };
  return { ...view, room, awaySince: away(view, room, now) };
}
