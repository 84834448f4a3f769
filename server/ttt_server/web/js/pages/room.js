// The page of a room: watch, take a seat, play.

import { t } from "../model/language.js";
import {
  EMPTY_VIEW,
  fold,
  isYourTurn,
  mayPlay,
  seatOf,
  withLineDown,
  withPending,
} from "../model/state.js";
import {
  cellName,
  detailWords,
  narrateMissed,
  narratePresence,
  narrateUpdate,
  refusalWords,
  rulesWords,
  statusWords,
  titleWords,
} from "../model/words.js";
import { gamePage, parseLocation, roomPage } from "../net/address.js";
import { createRoom } from "../net/create_room.js";
import { Session } from "../net/session.js";
import { recallToken } from "../net/token_store.js";
import { Actions } from "../view/actions.js";
import { Board } from "../view/board.js";
import { freshRoomName, ownName } from "../view/chance.js";
import { byId, h, setText } from "../view/dom.js";
import { panelFor } from "../view/entry.js";
import { Feed } from "../view/feed.js";
import { Notice } from "../view/notice.js";
import { Seat } from "../view/seats.js";
import { Share } from "../view/share.js";
import { Sound } from "../view/sound.js";
import { TakeSeat } from "../view/take_seat.js";
import { loadTexts } from "../view/texts.js";

const SLOW_MS = 3_000; // a move without an answer for this long is spoken of
const UNANSWERED_MS = 2_000;

await loadTexts();

const { room: name } = parseLocation();
const sound = new Sound();
let view = EMPTY_VIEW;
let board = null;
let boardRules = "";
let focusOnSeat = false;
let server = null;

const session = new Session(name, {
  onMessage,
  onOutside,
  onState,
  onNote: (refusal) => notice.say(refusalWords(refusal)),
  name: ownName,
});
const notice = new Notice(() => session.enter());
const feed = new Feed((text) => send({ type: "say", text }));
const seats = ["X", "O"].map((mark) => new Seat(mark));
const actions = new Actions(act);
const takeSeat = new TakeSeat(take, () => session.enter());
const share = new Share(roomPage(name));
const soundButton = h("button", { type: "button", onclick: toggleSound }, t("room.sound_off"));
const line = h("small", { class: "line-state" });

build();
enter();
setInterval(tick, 100);

function build() {
  document.title = `${name} · ${t("app")}`;
  setText(byId("name"), name);
  byId("notice").append(notice.element);
  byId("share").append(share.element);
  byId("seats").append(...seats.map(({ element }) => element));
  byId("side").append(takeSeat.element, actions.element, feed.element);
  byId("tools").append(line, soundButton);
}

/** Enter; from a link that says "Join", with a seat. */
function enter() {
  const isForSeat = location.hash === "#seat" && !recallToken(name);
  history.replaceState(null, "", roomPage(name));
  if (isForSeat) join({ role: "player" });
  else session.enter();
}

function onMessage(message) {
  const before = view;
  view = fold(view, message, performance.now());
  switch (message.type) {
    case "welcome":
      return welcomed(before, message);
    case "update":
      feed.add(narratePresence(before.room, view.room)); // an update may overtake the presence
      feed.add(narrateUpdate(before.room, message));
      return changed(before, message.events);
    case "presence":
      feed.add(narratePresence(before.room, view.room));
      return show();
    case "said":
      sound.play("said");
      return feed.addChat(message);
    case "hint":
      return show();
    case "refused":
      notice.say(refusalWords(message));
      return show();
  }
}

function welcomed(before, message) {
  if (server !== null && server !== message.server) notice.offerReload();
  server = message.server;
  byId("entry").replaceChildren();
  showInside(true);
  feed.add(narrateMissed(before.room, view.room));
  sayIfLost(before);
  show();
  if (view.room.game?.ply) board.reveal(view.room.game.moves.at(-1));
  if (focusOnSeat && seatOf(view)) board.focus();
  focusOnSeat = false;
}

/** A move that was on its way as the line broke may not have arrived. */
function sayIfLost({ pending }) {
  const { game, settings } = view.room;
  if (pending === null || game?.number !== pending.game || game.ply !== pending.ply || game.outcome) return;
  notice.say(t("move.lost", { cell: cellName(pending.cell, settings.rules) }));
}

function onState(state) {
  if (state.state === "open" && notice.isShown) feed.addNote(t("line.back"));
  notice.update(state);
  byId("main").classList.toggle("stale", state.state !== "open");
  if (state.state !== "lost") return;
  view = withLineDown(view, performance.now());
  if (view.room) show();
}

const showInside = (isInside) => {
  for (const part of document.querySelectorAll(".inside")) part.hidden = !isInside;
};

/** Show a panel in place of the room. */
function onOutside(why, refusal) {
  view = EMPTY_VIEW;
  feed.clear();
  showInside(false);
  takeSeat.show(null);
  setText(byId("because"), "");
  setText(byId("waiting"), "");
  document.title = `${name} · ${t("app")}`;
  notice.update({ state: "open" });
  const panelActions = {
    create: join,
    unlock: (password) => session.unlock(password),
    take,
    again: () => session.enter(),
  };
  byId("entry").replaceChildren(panelFor(why, refusal, name, panelActions));
  setText(byId("status"), t(why === "none" ? "room.none" : "room.outside"));
}

function take(seat) {
  join({ role: "player", seat });
}

function join(joinFields) {
  focusOnSeat = true; // the pressed button is gone then
  session.join(joinFields);
}

function send(command) {
  const went = session.send(command);
  if (!went) notice.say(t("move.no_line"));
  return went;
}

function act(action) {
  if (action.leave) session.leave();
  else if (action.onceMore) onceMore();
  else send(action.command);
}

/** The same AIs again, in a room of their own. */
function onceMore() {
  const room = freshRoomName();
  createRoom(
    room,
    { role: "spectator", name: ownName(), settings: view.room.settings },
    {
      done: () => location.assign(roomPage(room)),
      refused: (refusal) => notice.say(refusalWords(refusal)),
    },
  );
}

function play(cell) {
  const { number, ply } = view.room.game;
  const move = { game: number, ply, cell };
  if (!send({ type: "play", ...move })) return;
  view = withPending(view, move, performance.now());
  show();
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
    const full = (column) => notice.say(t("move.column_full", { column }));
    board = new Board(rules, { play, full });
    byId("board").replaceChildren(board.element);
  }
  board.show(room.game, mayPlay(view) ? seatOf(view) : null, view.pending);
  board.showValues(view.hint?.values ?? {}, view.hint?.best ?? []);
  for (const seat of seats) seat.show(view);
  actions.show(view);
  showStatus(performance.now());
  setText(byId("because"), detailWords(view));
  setText(byId("rules"), rulesWords(rules));
  const { score, spectators } = room;
  const facts = [
    score.draws ? t("room.drawn", { count: score.draws }) : null,
    spectators ? t("room.watching", { count: spectators }) : null,
  ];
  setText(byId("facts"), facts.map((fact) => (fact ? `· ${fact} ` : "")).join(""));
  byId("share").hidden = room.status !== "waiting" || seatOf(view) === null;
  takeSeat.show(seatOf(view) ? null : ["X", "O"].filter((mark) => !room.seats[mark]));
  showGames(room);
  const news = titleWords(view);
  document.title = `${news ? `${news} · ` : ""}${name} · ${t("app")}`;
}

function showStatus(now) {
  const waitedMs = view.pending ? now - view.pending.sentAt : 0;
  const isSlow = waitedMs >= SLOW_MS;
  setText(byId("status"), isSlow ? t("move.sent") : statusWords(view));
  setText(byId("waiting"), isSlow ? t("move.seconds", { seconds: Math.floor(waitedMs / 1000) }) : "");
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
    `${t("room.replay")} `,
    ...links.flatMap((number) => [h("a", { href: gamePage(name, number) }, t("room.game", { number })), " "]),
  );
}

function tick() {
  const now = performance.now();
  notice.tick(now);
  showLine();
  if (!view.room) return;
  if (view.pending) showStatus(now);
  for (const seat of seats) seat.tick(view, now);
  if (view.awaySince.X !== null || view.awaySince.O !== null) actions.show(view);
}

function showLine() {
  const { latencyMs, waitsMs } = session.line();
  if (!session.isInside) setText(line, t("line.down"));
  else if (waitsMs > UNANSWERED_MS) setText(line, t("line.quiet", { seconds: Math.floor(waitsMs / 1000) }));
  else setText(line, latencyMs === null ? "" : t("line.live", { ms: Math.round(latencyMs) }));
}

function toggleSound() {
  sound.toggle();
  setText(soundButton, t(sound.on ? "room.sound_on" : "room.sound_off"));
}
