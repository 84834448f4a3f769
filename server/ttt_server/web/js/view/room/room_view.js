// Everything on the page of a room that follows from its view.

import { t } from "../../model/language.js";
import { isAgainstAi, isHost, isShared, markAt, mayPlay, seatOf, startOf } from "../../model/state.js";
import { chatWords, detailWords, roomRulesWords, statusWords, titleWords } from "../../model/words.js";
import { roomPage } from "../../net/address.js";
import { Actions } from "./actions.js";
import { Board } from "../board.js";
import { byId, h, setChildren, setText } from "../dom.js";
import { Feed } from "./feed.js";
import { addPart } from "../page.js";
import { Seat } from "../seats.js";

const SLOW_MS = 3_000; // a move without an answer for this long is spoken of
const UNANSWERED_MS = 2_000;

export class RoomView {
  #name;
  #listener;
  #board = null;
  #boardRules = "";
  #seats;
  #actions;
  #takeSeat = null;
  #freeSeats = null;
  #host = null;
  #isHostDue = true;
  #names = null;
  #isShareDue = true;
  #replays = null;
  #ratings = null;
  #view = null;
  #line = h("small", { class: "line-state" });

  /**
   * The listener has `play(cell)`, `full(letter)`, `act(action)`, `take(mark)`, `moderate(fields)`,
   * `rename(name, mark)` and `say(text)`, which tells whether it was sent.
   */
  constructor(name, listener, isOfEvent) {
    this.#name = name;
    this.#listener = listener;
    const menuOf = (member) => this.#host?.menuOf(member) ?? null;
    this.#seats = ["X", "O"].map((mark) => new Seat(mark, menuOf, () => this.#changeName(mark)));
    this.#actions = new Actions(listener.act, isOfEvent);
    this.feed = new Feed(listener.say, menuOf);
    setText(byId("name"), name);
    byId("because").after(this.#actions.hint);
    byId("side").append(this.#actions.element, this.#actions.bar, this.feed.element, this.#actions.foot, this.#line);
    this.#showTitle("");
  }

  show(view, now) {
    this.#view = view;
    const { room } = view;
    const mine = seatOf(view);
    this.#showBoard(view);
    this.#showHost(view);
    this.#names?.show(view);
    this.#placeSeats(mine === "O" && !isShared(view));
    for (const seat of this.#seats) seat.show(view);
    this.#actions.show(view);
    this.feed.hasChat = !isAgainstAi(view);
    const ais = ["X", "O"].filter((mark) => room.seats[mark]?.kind === "ai");
    this.feed.setThinkers(ais.map((mark) => ({ mark, name: room.seats[mark].name })), room.settings.rules);
    this.showStatus(view, now);
    setText(byId("because"), detailWords(view));
    setText(byId("rules"), roomRulesWords(room.settings));
    setText(byId("facts"), factWords(room, mine !== null));
    this.#showShare(room.status === "waiting" && mine !== null);
    const free = ["X", "O"].filter((mark) => !room.seats[mark]);
    this.#showFreeSeats(mine ? null : free);
    this.#showReplays(view);
    this.#showRatings(view);
    this.feed.allow(chatWords(view));
    this.#showTitle(titleWords(view));
  }

  /** The viewer's side is below the board; X where there is none, or both are. */
  #placeSeats(isTurned) {
    const [x, o] = this.#seats.map(({ element }) => element);
    setChildren(byId("above"), [isTurned ? x : o]);
    setChildren(byId("below"), [isTurned ? o : x]);
  }

  /** Show what the status says, or that a move has no answer yet. */
  showStatus(view, now) {
    const waitedMs = view.pending ? now - view.pending.sentAt : 0;
    const isSlow = waitedMs >= SLOW_MS;
    setText(byId("status"), isSlow ? t("move.sent") : statusWords(view));
    setText(byId("waiting"), isSlow ? t("move.seconds", { seconds: Math.floor(waitedMs / 1000) }) : "");
  }

  /** Show what changes without a message. */
  tick(view, now) {
    if (view.pending) this.showStatus(view, now);
    for (const seat of this.#seats) seat.tick(view, now);
    if (view.awaySince.X !== null || view.awaySince.O !== null) this.#actions.show(view);
  }

  /** Show the latency that was measured last, or for how long the server has been silent. */
  showLatency(isInside, { latencyMs, waitsMs }) {
    const isQuiet = waitsMs > UNANSWERED_MS;
    this.#line.classList.toggle("troubled", !isInside || isQuiet);
    if (!isInside) setText(this.#line, t("line.down"));
    else if (isQuiet) setText(this.#line, t("line.quiet", { seconds: Math.floor(waitsMs / 1000) }));
    else setText(this.#line, latencyMs === null ? "" : t("line.live", { ms: Math.round(latencyMs) }));
  }

  /** Show the room, or for a panel, that in its place. */
  showPanel(panel, words) {
    for (const part of document.querySelectorAll(".inside")) part.hidden = panel !== null;
    byId("entry").replaceChildren(...(panel ? [panel] : []));
    this.#line.hidden = panel !== null; // no connection is wanted
    panel?.querySelector("[autofocus]")?.focus();
    if (panel === null) return;
    this.feed.clear();
    this.#showFreeSeats(null);
    setText(byId("status"), words);
    setText(byId("because"), "");
    setText(byId("waiting"), "");
    this.#showTitle("");
  }

  reveal(cell) {
    this.#board?.reveal(cell);
  }

  /** Focus a cell; for null, the one in the tab order. */
  focusBoard(cell) {
    this.#board?.focus(cell ?? undefined);
  }

  #showBoard(view) {
    const { game, settings } = view.room;
    const { play, full } = this.#listener;
    if (this.#boardRules !== JSON.stringify(settings.rules)) {
      this.#boardRules = JSON.stringify(settings.rules);
      this.#board = new Board(settings.rules, { play, full });
      byId("board").replaceChildren(this.#board.element);
    }
    this.#board.show(game ?? startOf(settings), mayPlay(view) ? markAt(game.ply, settings.rules) : null, view.pending);
    this.#board.showValues(view.hint?.values ?? {}, view.hint?.best ?? []);
  }

  // Most visitors of a room never see these: their modules are loaded when needed.

  /** Offer these seats, or the name alone for none; nothing for null. */
  async #showFreeSeats(free) {
    this.#freeSeats = free;
    if (this.#takeSeat === null && free === null) return;
    if (this.#takeSeat === null) {
      const { TakeSeat } = await import("./take_seat.js");
      this.#takeSeat ??= new TakeSeat(this.#listener.take, (own) => this.#listener.rename(own, null));
    }
    this.#takeSeat.show(this.#freeSeats);
    // A free seat is offered before the board: on a small screen that is what a friend sees first.
    const place = byId(this.#freeSeats?.length ? "offer" : "side");
    if (this.#takeSeat.element.parentElement !== place) place.append(this.#takeSeat.element);
  }

  async #showShare(isShown) {
    byId("share").hidden = !isShown;
    if (!isShown || !this.#isShareDue) return;
    this.#isShareDue = false;
    const { Share } = await import("../share.js");
    await addPart("share");
    byId("share").append(new Share(roomPage(this.#name), { frameOf: this.#name }).element);
  }

  async #showHost(view) {
    this.#host?.show(view);
    if (!isHost(view) || !this.#isHostDue) return;
    this.#isHostDue = false;
    const { HostControls } = await import("./host_controls.js");
    this.#host = new HostControls(this.#listener.moderate);
    this.#host.show(this.#view);
    this.feed.bar.append(this.#host.element);
    this.feed.addMenus();
    for (const seat of this.#seats) seat.show(this.#view);
  }

  async #showReplays(view) {
    const { game } = view.room;
    if (game && (game.outcome || game.number > 1)) this.#replays ??= this.#loadReplays();
    (await this.#replays)?.show(view);
  }

  async #showRatings(view) {
    const { rated, clock, days } = view.room.settings;
    const isOfPersons = ["X", "O"].some((mark) => view.room.seats[mark]?.person);
    if (rated || (isOfPersons && (clock || days))) this.#ratings ??= this.#loadRatings();
    (await this.#ratings)?.show(view);
  }

  async #loadRatings() {
    const { RoomRatings } = await import("./ratings.js");
    return new RoomRatings(this.#name, this.#seats.map(({ element }) => element));
  }

  async #loadReplays() {
    const { Replays } = await import("./replays.js");
    const replays = new Replays(this.#name);
    this.#actions.foot.after(replays.element);
    return replays;
  }

  async #changeName(mark) {
    const { NameChange } = await import("./name_change.js");
    if (this.#names === null) {
      this.#names = new NameChange(this.#listener.rename);
      byId("side").prepend(this.#names.element);
    }
    this.#names.show(this.#view);
    this.#names.open(mark);
  }

  #showTitle(news) {
    document.title = `${news ? `${news} · ` : ""}${this.#name} · ${t("app")}`;
  }
}

function factWords({ score, settings, spectators }, isPlayer) {
  const facts = [
    score.draws ? t("room.drawn", { count: score.draws }) : null,
    spectators ? t("room.watching", { count: spectators }) : null,
    settings.delay_s && !isPlayer ? t("room.behind", { seconds: settings.delay_s }) : null,
  ];
  return facts.map((fact) => (fact ? `· ${fact} ` : "")).join("");
}
