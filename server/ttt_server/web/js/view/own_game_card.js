// A game of a person: as a card with its board while it runs, as a line once it is over.

import { t } from "../model/language.js";
import { factsWords, opponentWords, stateWords } from "../model/own_games.js";
import { gamePage, roomPage, seatPage } from "../net/address.js";
import { personPage } from "../net/person.js";
import { recallToken } from "../net/token_store.js";
import { BoardSvg } from "./board_svg.js";
import { h } from "./dom.js";
import { glyph } from "./seats.js";
import { keepsNames, personMark } from "./person_mark.js";

/** `verb` names the text of the way in: `me.play`, `me.look`, `me.replay`. */
function wayIn(game, verb, kind, isOwn) {
  const isElsewhere = isOwn && !recallToken(game.room); // the seat is that of another device of the same person
  const room = isElsewhere ? seatPage(game.room) : roomPage(game.room);
  const href = game.state === "finished" ? gamePage(game.room, game.game) : room;
  const label = t("me.verb_game", { verb: t(verb), name: opponentWords(game), room: game.room });
  return h("a", { class: kind, href, "aria-label": label }, t(verb));
}

function opponentOf(game) {
  const name = h("bdi", {}, opponentWords(game));
  if (!game.opponent.person || !keepsNames()) return name;
  return h("a", { class: "person-link", href: personPage(game.opponent.name) }, name, personMark());
}

/** A running game, with its board. `isOwn`: of the person who looks. */
export function gameCard(game, isOwn = true) {
  const svg = new BoardSvg(game.rules);
  svg.draw({ board: game.board, outcome: game.outcome, moves: [] });
  const isTurn = isOwn && game.state === "turn";
  const verb = isTurn ? "me.play" : "me.look";
  const state = isOwn ? stateWords(game, Date.now()) : t("me.state.plays");
  return h(
    "li",
    { class: `card game-card${isTurn ? " is-turn" : ""}` },
    svg.element,
    h(
      "div",
      {},
      h("p", { class: "state" }, state),
      h("p", { class: "players" }, glyph(game.seat), h("span", {}, opponentOf(game))),
      h("p", { class: "facts" }, factsWords(game, Date.now())),
      wayIn(game, verb, isTurn ? "button" : "button quiet", isOwn),
    ),
  );
}

/** A game that is over, in a line. */
export function gameLine(game) {
  return h(
    "li",
    { class: "game-line", "data-result": game.result },
    h("span", { class: "result", "aria-hidden": "true" }, SIGNS[game.result]),
    h("div", {}, h("p", { class: "players" }, opponentOf(game)), h("p", { class: "facts" }, stateWords(game, Date.now()))),
    h("p", { class: "facts when" }, factsWords(game, Date.now())),
    wayIn(game, "me.replay", "button quiet", false),
  );
}

const SIGNS = { won: "+", lost: "−", drawn: "=", none: "·" };
