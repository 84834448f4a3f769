// The page of a room: watch, sit, play.

import { fold, isYourTurn, NOTHING, seatOf } from "../model/state.js";
import {
  becauseWords,
  hintWords,
  presenceStory,
  rulesWords,
  statusWords,
  storyOf,
  storySoFar,
} from "../model/words.js";
import { gamePage, here, roomPage } from "../net/address.js";
import { Visit } from "../net/session.js";
import { Actions } from "../view/actions.js";
import { Board } from "../view/board.js";
import { byId, h, write } from "../view/dom.js";
import { named, panelFor } from "../view/entry.js";
import { Feed } from "../view/feed.js";
import { Notice } from "../view/notice.js";
import { Seat } from "../view/seats.js";
import { Sound } from "../view/sound.js";

const { room: name } = here();
const sound = new Sound();
let view = NOTHING;
let board = null;
let boardRules = "";
let focusOnSeat = false;

const visit = new Visit(name, { hear, stop, tell, say: (words) => feed.note(words) });
const notice = new Notice(() => visit.enter());
const feed = new Feed((text) => sent({ type: "say", text }));
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
visit.enter();
setInterval(tick, 100);

function build() {
  document.title = `${name} · tic-tac-toe rooms`;
  write(byId("name"), name);
  byId("notice").append(notice.element);
  byId("seats").append(...seats.map(({ element }) => element));
  byId("side").append(guest, actions.element, share, feed.element);
  byId("tools").append(soundButton);
}

function hear(message) {
  const before = view;
  view = fold(view, message, performance.now());
  switch (message.type) {
    case "welcome":
      return welcomed(before);
    case "update":
      feed.tell(presenceStory(before.room, view.room)); // an update may overtake that somebody is back
      feed.tell(storyOf(before.room, message, seatOf(view)));
      return changed(before, message.events);
    case "presence":
      feed.tell(presenceStory(before.room, view.room));
      return show();
    case "said":
      sound.play("said");
      return feed.said(message);
    case "hint":
      feed.note(hintWords(message, view.room.settings.rules));
      return show();
    case "refused":
      feed.note(message.reason);
      return show();
  }
}

function welcomed(before) {
  byId("entry").replaceChildren();
  byId("room").hidden = false;
  feed.tell(storySoFar(before.room, view.room));
  show();
  if (view.room.game?.ply) board.reveal(view.room.game.moves.at(-1));
  if (focusOnSeat && seatOf(view)) board.focus();
  focusOnSeat = false;
}

function tell(state) {
  if (state.state === "open" && notice.isShown) feed.note("Connected again.");
  notice.tell(state);
  byId("room").classList.toggle("stale", state.state !== "open");
}

/** Outside: a panel in place of the room. */
function stop(why, words) {
  view = NOTHING;
  feed.clear();
  byId("room").hidden = true;
  showGuest(false);
  notice.tell({ state: "open" });
  const does = {
    create: join,
    unlock: (password) => visit.unlock(password),
    take,
    again: () => visit.enter(),
  };
  byId("entry").replaceChildren(panelFor(why, words, name, does));
  write(byId("status"), why === "none" ? "No such room" : "Not in the room");
}

const take = (seat) => join({ role: "player", seat });

function join(wish) {
  focusOnSeat = true; // what was pressed is gone then
  visit.join(wish);
}

function sent(command) {
  const went = visit.send(command);
  if (!went) feed.note("Not sent: there is no connection.");
  return went;
}

function act(action) {
  if (action.leave) visit.leave();
  else sent(action.command);
}

function play(cell) {
  const { game } = view.room;
  sent({ type: "play", game: game.number, ply: game.ply, cell });
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
  board.note(view.hint?.values ?? {});
  for (const seat of seats) seat.show(view);
  actions.show(view);
  write(byId("status"), statusWords(room));
  write(byId("because"), room.game?.outcome ? becauseWords(room.game.outcome, rules) : "");
  write(byId("rules"), rulesWords(rules));
  const { score, spectators } = room;
  const facts = [score.draws ? `${score.draws} drawn` : null, spectators ? `${spectators} watching` : null];
  write(byId("facts"), facts.map((fact) => (fact ? `· ${fact} ` : "")).join(""));
  const alone = room.status === "waiting" && seatOf(view) !== null;
  share.hidden = !alone;
  showGuest(seatOf(view) === null);
  showGames(room);
  document.title = `${isYourTurn(view) ? "● Your turn · " : ""}${name} · tic-tac-toe rooms`;
}

/**
 * The name to speak and to take a seat under: a spectator comes in anew with it. There is one such
 * field in the page, here or where a room is made.
 */
function showGuest(isGuest) {
  if (isGuest === guest.childElementCount > 0) return;
  guest.replaceChildren(...(isGuest ? [named(() => visit.enter())] : []));
}

/** Links to the games that are over; they can be read where everyone may watch. */
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
  write(soundButton, sound.on ? "Sound: on" : "Sound: off");
}

async function copyLink({ target }) {
  try {
    await navigator.clipboard.writeText(link.value);
    write(target, "Copied");
  } catch {
    link.select(); // no clipboard without TLS: the keyboard's own copy is left
  }
}
