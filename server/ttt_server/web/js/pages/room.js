// The page of a room: watch, take a seat, play.

import { fold, isYourTurn, EMPTY_VIEW, seatOf } from "../model/state.js";
import {
  becauseWords,
  hintWords,
  narratePresence,
  rulesWords,
  statusWords,
  narrateUpdate,
  narrateMissed,
} from "../model/words.js";
import { gamePage, parseLocation, roomPage } from "../net/address.js";
import { Session } from "../net/session.js";
import { Actions } from "../view/actions.js";
import { Board } from "../view/board.js";
import { byId, h, setText } from "../view/dom.js";
import { nameField, panelFor } from "../view/entry.js";
import { Feed } from "../view/feed.js";
import { Notice } from "../view/notice.js";
import { Seat } from "../view/seats.js";
import { Sound } from "../view/sound.js";

const { room: name } = parseLocation();
const sound = new Sound();
let view = EMPTY_VIEW;
let board = null;
let boardRules = "";
let focusOnSeat = false;

const session = new Session(name, { onMessage, onOutside, onState, onNote: (text) => feed.addNote(text) });
const notice = new Notice(() => session.enter());
const feed = new Feed((text) => send({ type: "say", text }));
const seats = ["X", "O"].map((mark) => new Seat(mark, () => take(mark)));
const actions = new Actions(act);
const guest = h("div", { class: "guest" });
const soundButton = h("button", { type: "button", onclick: toggleSound }, "Sound: off");
const link = h("input", { readonly: true, value: roomPage(name), "aria-label": "Link to this room" });
const share = h(
  "div",
  { class: "share" },
  h("p", {}, "Send this link to a friend:"),
  link,
  h("button", { type: "button", onclick: copyLink }, "Copy link"),
);

build();
session.enter();
setInterval(tick, 100);

function build() {
  document.title = `${name} · tic-tac-toe rooms`;
  setText(byId("name"), name);
  byId("notice").append(notice.element);
  byId("seats").append(...seats.map(({ element }) => element));
  byId("side").append(guest, actions.element, share, feed.element);
  byId("tools").append(soundButton);
}

function onMessage(message) {
  const before = view;
  view = fold(view, message, performance.now());
  switch (message.type) {
    case "welcome":
      return welcomed(before);
    case "update":
      feed.add(narratePresence(before.room, view.room)); // an update may overtake the presence
      feed.add(narrateUpdate(before.room, message, seatOf(view)));
      return changed(before, message.events);
    case "presence":
      feed.add(narratePresence(before.room, view.room));
      return show();
    case "said":
      sound.play("said");
      return feed.addChat(message);
    case "hint":
      feed.addNote(hintWords(message, view.room.settings.rules));
      return show();
    case "refused":
      feed.addNote(message.reason);
      return show();
  }
}

function welcomed(before) {
  byId("entry").replaceChildren();
  byId("room").hidden = false;
  feed.add(narrateMissed(before.room, view.room));
  show();
  if (view.room.game?.ply) board.reveal(view.room.game.moves.at(-1));
  if (focusOnSeat && seatOf(view)) board.focus();
  focusOnSeat = false;
}

function onState(state) {
  if (state.state === "open" && notice.isShown) feed.addNote("Connected again.");
  notice.update(state);
  byId("room").classList.toggle("stale", state.state !== "open");
}

/** Show a panel in place of the room. */
function onOutside(why, reason) {
  view = EMPTY_VIEW;
  feed.clear();
  byId("room").hidden = true;
  showGuest(false);
  notice.update({ state: "open" });
  const panelActions = {
    create: join,
    unlock: (password) => session.unlock(password),
    take,
    again: () => session.enter(),
  };
  byId("entry").replaceChildren(panelFor(why, reason, name, panelActions));
  setText(byId("status"), why === "none" ? "No such room" : "Not in the room");
}

const take = (seat) => join({ role: "player", seat });

function join(joinFields) {
  focusOnSeat = true; // the pressed button is gone then
  session.join(joinFields);
}

function send(command) {
  const went = session.send(command);
  if (!went) feed.addNote("Not sent: there is no connection.");
  return went;
}

function act(action) {
  if (action.leave) session.leave();
  else send(action.command);
}

function play(cell) {
  const { game } = view.room;
  send({ type: "play", game: game.number, ply: game.ply, cell });
}

function changed(before, events) {
  show();
  const played = events.findLast((event) => event.type === "played");
  if (played) board.reveal(played.cell);
  if (view.room.game?.outcome && !before.room?.game?.outcome) sound.play("ended");
  else if (played) sound.play(isYourTurn(view) ? "turn" : played.seat);
}

function show() {
  const { room } = view;
  const { rules } = room.settings;
  if (boardRules !== JSON.stringify(rules)) {
    boardRules = JSON.stringify(rules);
    board = new Board(rules, play);
    byId("board").replaceChildren(board.element);
  }
  board.show(room.game, isYourTurn(view) ? seatOf(view) : null);
  board.showValues(view.hint?.values ?? {});
  for (const seat of seats) seat.show(view);
  actions.show(view);
  setText(byId("status"), statusWords(room));
  setText(byId("because"), room.game?.outcome ? becauseWords(room.game.outcome, rules) : "");
  setText(byId("rules"), rulesWords(rules));
  const { score, spectators } = room;
  const facts = [score.draws ? `${score.draws} drawn` : null, spectators ? `${spectators} watching` : null];
  setText(byId("facts"), facts.map((fact) => (fact ? `· ${fact} ` : "")).join(""));
  const alone = room.status === "waiting" && seatOf(view) !== null;
  share.hidden = !alone;
  showGuest(seatOf(view) === null);
  showGames(room);
  document.title = `${isYourTurn(view) ? "● Your turn · " : ""}${name} · tic-tac-toe rooms`;
}

/**
 * Show a spectator the field for a name, and join again after a change. The page has one such field:
 * this, or that of a panel.
 */
function showGuest(isGuest) {
  if (isGuest === guest.childElementCount > 0) return;
  guest.replaceChildren(...(isGuest ? [nameField(() => session.enter())] : []));
}

/** Show links to the finished games. They are public only if the room has spectators. */
function showGames({ game, locked, settings }) {
  const over = game ? game.number - (game.outcome ? 0 : 1) : 0;
  const shown = locked || !settings.spectators ? 0 : over;
  const list = byId("games");
  list.hidden = shown === 0;
  if (list.dataset.shown === String(shown)) return;
  list.dataset.shown = shown;
  const first = Math.max(1, shown - 9);
  const links = Array.from({ length: shown - first + 1 }, (_, index) => first + index);
  list.replaceChildren(
    "Replay ",
    ...links.flatMap((number) => [h("a", { href: gamePage(name, number) }, `game ${number}`), " "]),
  );
}

function tick() {
  if (!view.room) return;
  const now = performance.now();
  for (const seat of seats) seat.tick(view, now);
  if (view.awaySince.X !== null || view.awaySince.O !== null) actions.show(view);
}

function toggleSound() {
  sound.toggle();
  setText(soundButton, sound.on ? "Sound: on" : "Sound: off");
}

async function copyLink({ target }) {
  try {
    await navigator.clipboard.writeText(link.value);
    setText(target, "Copied");
  } catch {
    link.select(); // no clipboard without TLS: the user can still press Ctrl+C
  }
}
