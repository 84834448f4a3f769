// The page on which any position is explored: both sides are played, marks are set, moves are weighed.

import { t } from "../model/language.js";
import { positionOf, positionQuery } from "../model/positions.js";
import { BOARDS, OFFERED } from "../model/boards.js";
import { boardName } from "../model/strength.js";
import { cellsTo, cut, endOf, linesOf, newTree, played, promote } from "../model/variations.js";
import { becauseWords, cellName, hintWords, outcomeWords, rulesWords, worthWords } from "../model/words.js";
import { explorePage, fetchAnswer } from "../net/address.js";
import { Board } from "../view/board.js";
import { byId, h, setText } from "../view/dom.js";
import { PlayOn } from "../view/explore/play_on.js";
import { loadTexts } from "../view/page.js";
import { Thinking } from "../view/explore/thinking.js";

await loadTexts("explore", "game", "share");
document.title = `${t("explore.title")} · ${t("app")}`;

let rules = BOARDS[0];
let base = ""; // the marks before the first move, a letter a cell
let tree = newTree();
let node = tree; // the move after which the position is shown
let board = null;
let told = null; // what the server has told of the position
let shown = null; // the same, but of a position that can be
let asked = 0;
let answered = null; // the last question to the server
const playOn = new PlayOn(rules);
const thinking = new Thinking(rules);
let comparison = null;
byId("play-on").append(playOn.element);
byId("thinking").append(thinking.element);

const linked = positionOf(location.search);
begin(linked ?? emptyOf(BOARDS[0]));
byId("wrong-link").hidden = linked !== null;
listen();

function emptyOf(board) {
  return { rules: board, board: null, cells: [] };
}

/** Explore from a position, as `positionOf` returns one. */
function begin(from) {
  rules = from.rules;
  base = from.board ?? emptyBoard();
  tree = newTree();
  node = tree;
  const set = [...base].filter((mark) => mark !== ".").length;
  from.cells.forEach((cell, at) => (node = played(node, cell, (set + at) % 2 ? "O" : "X")));
  board = new Board(rules, { play: press, full: () => {} });
  byId("board").replaceChildren(board.element);
  setText(byId("rules"), rulesWords(rules));
  offerBoards();
  show();
}

function emptyBoard() {
  return ".".repeat(rules.columns * rules.rows);
}

/** The effect of a press: "play", or the mark that it sets. */
function tool() {
  return document.querySelector("[name=tool]:checked").value;
}

function boardNow() {
  const cells = [...base];
  for (let at = node; at.parent; at = at.parent) cells[at.cell] = at.mark;
  return cells.join("");
}

function press(cell) {
  const mark = tool();
  if (mark !== "play") set(cell, mark);
  else if (shown?.legal?.includes(cell)) goTo(played(node, cell, shown.turn));
}

/** Set a mark, or take one off; what was played so far is part of the board from then on. */
function set(cell, mark) {
  const cells = [...boardNow()];
  cells[cell] = mark;
  base = cells.join("");
  tree = newTree();
  goTo(tree);
}

function goTo(next) {
  byId("wrong-link").hidden = true;
  node = next;
  show();
}

async function show() {
  const query = positionQuery(rules, cellsTo(node), base === emptyBoard() ? null : base);
  history.replaceState(null, "", explorePage(query));
  draw(null);
  const turn = ++asked;
  await answered; // of many steps in a row the server is asked about the last alone
  if (turn !== asked) return;
  answered = fetchAnswer(`explore?${query}`);
  const { status, body } = await answered;
  if (turn !== asked) return; // another position is shown by now
  if (body) return draw(body);
  if (status === 400) return beginElsewhere();
  setText(byId("status"), t("explore.unavailable"));
  if (status === 503 || status === 429) setTimeout(() => turn === asked && show(), 2000);
}

/** The address is of no position: begin with an empty board, and say so. */
function beginElsewhere() {
  const isEmpty = node === tree && base === emptyBoard();
  begin(emptyOf(isEmpty ? BOARDS[0] : rules)); // no game of such a board, or no such position on it
  byId("wrong-link").hidden = false;
}

/** Draw what is known of the position: nothing but the board until the server has answered. */
function draw(answer) {
  told = answer;
  shown = answer?.flaw ? null : answer;
  const moves = cellsTo(node);
  const line = shown?.line ?? null;
  const outcome = shown?.over ? { winner: shown.winner, reason: line ? "line" : "full", line } : null;
  board.free(tool() !== "play");
  const turn = shown && !shown.over ? shown.turn : null;
  const mover = { play: turn, X: "X", O: "O" }[tool()] ?? null;
  board.show({ board: boardNow(), moves, outcome }, mover);
  board.reveal(moves.at(-1) ?? null);
  const weighed = byId("worth").checked && shown && !shown.over ? shown : null;
  board.showValues(weighed?.values ?? {}, weighed?.best ?? []);
  setText(byId("values"), weighed ? worthWords(weighed.values, rules) || t("explore.unknown") : "");
  setText(byId("status"), statusOf(answer, outcome));
  setText(byId("because"), outcome ? becauseWords(outcome, rules) : shown ? hintWords(shown, rules) : "");
  playOn.show(shown && !shown.over && shown.moves ? shown : null);
  showVariations();
  if (!answer) return;
  thinking.show(rules, studyOf(shown), shown?.board);
  showBelow();
}

/** Show what stands below, for the position as it is then: its modules are loaded after the first one. */
async function showBelow() {
  const { Comparison } = await import("../view/explore/comparison.js");
  const { Share } = await import("../view/share.js");
  if (told === null) return;
  if (comparison === null) {
    comparison = new Comparison();
    byId("comparison").append(comparison.element);
  }
  comparison.show(rules, studyOf(shown));
  byId("share").replaceChildren(new Share(location.href, { label: t("explore.link") }).element);
}

/** The position as a study names it: by its moves, which the learner knows games by, or by its board. */
function studyOf(position) {
  if (!position || position.over) return null;
  return position.moves ? positionQuery(rules, position.moves) : `rules=${boardName(rules)}&board=${position.board}`;
}

function statusOf(answer, outcome) {
  if (answer === null) return t("explore.working");
  if (answer.flaw) return t(`explore.flaw.${answer.flaw}`);
  return outcome ? outcomeWords(outcome) : t("game.to_move", { mark: answer.turn });
}

function showVariations() {
  const lines = linesOf(tree).map(({ depth, nodes }) => {
    const line = h("p", { class: "line" }, ...nodes.map(moveButton));
    line.style.setProperty("--depth", depth);
    return line;
  });
  const isFocused = byId("variations").contains(document.activeElement);
  byId("variations").replaceChildren(...lines);
  if (isFocused) (byId("variations").querySelector("[aria-current]") ?? byId("board")).focus();
  // Not `disabled`, which would take the focus away from a button that was just pressed.
  const enable = (id, can) => byId(id).setAttribute("aria-disabled", String(!can));
  for (const id of ["first", "back", "cut"]) enable(id, node.parent !== null);
  for (const id of ["forward", "last"]) enable(id, node.children.length > 0);
  enable("promote", node.parent !== null && node.parent.children[0] !== node);
}

function moveButton(each) {
  const words = `${cellsTo(each).length}. ${each.mark} ${cellName(each.cell, rules)}`;
  const button = h("button", { type: "button", class: "small", onclick: () => goTo(each) }, words);
  if (each === node) button.setAttribute("aria-current", "true");
  return button;
}

function offerBoards() {
  const name = boardName(rules);
  const boards = OFFERED.some((each) => boardName(each) === name) ? OFFERED : [rules, ...OFFERED];
  const option = (each) => h("option", { value: boardName(each), selected: boardName(each) === name }, rulesWords(each));
  byId("boards").replaceChildren(...boards.map(option));
  byId("boards").onchange = ({ target }) =>
    begin(emptyOf(boards.find((each) => boardName(each) === target.value)));
}

function listen() {
  const on = (id, act) => byId(id).addEventListener("click", act);
  on("first", () => goTo(tree));
  on("back", () => goTo(node.parent ?? node));
  on("forward", () => goTo(node.children[0] ?? node));
  on("last", () => goTo(endOf(node)));
  on("cut", () => goTo(cut(node)));
  on("promote", () => (promote(node), showVariations()));
  on("clear", () => begin(emptyOf(rules)));
  byId("worth").addEventListener("change", () => draw(told));
  for (const each of document.querySelectorAll("[name=tool]")) each.addEventListener("change", () => draw(told));
  addEventListener("keydown", step);
}

function step(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select")) return;
  const to = { ArrowLeft: node.parent, ArrowRight: node.children[0], Home: tree, End: endOf(node) }[event.key];
  if (!to) return;
  event.preventDefault();
  goTo(to);
}
