// @ts-check
// Ultimate tic-tac-toe, for its lesson: where a move sends the other side, and three tasks. Pure.

import { cellName } from "../words.js";
import { outcomeOf } from "./three.js";

export const RULES = { columns: 9, rows: 9, in_a_row: 3, gravity: false, variant: "ultimate" };

/**
 * `boards`: a letter of `.XO=` for each small board, with `=` for one that is full; `sent`: the small board to be
 * played, null for any open one.
 * @typedef {{winner: string | null, reason: string, line: number[] | null}} Outcome
 * @typedef {{board: string, boards: string, sent: number | null, legal: number[], moves: number[], outcome: Outcome | null}} Game
 */

const NINE = [...Array(9).keys()];
const cellAt = (/** @type {number} */ small, /** @type {number} */ place) =>
  9 * (3 * Math.floor(small / 3) + Math.floor(place / 3)) + 3 * (small % 3) + (place % 3);

/** The cells of each small board, by their places. */
const CELLS = NINE.map((small) => NINE.map((place) => cellAt(small, place)));

/** The small board that has a cell. @param {number} cell */
const smallOf = (cell) => CELLS.findIndex((cells) => cells.includes(cell));

/** @type {Game} */
const START = { board: ".".repeat(81), boards: ".........", sent: null, legal: [...Array(81).keys()], moves: [], outcome: null };

/** The game after a legal move. @param {Game} game @param {number} cell @returns {Game} */
export function after(game, cell) {
  const mark = game.moves.length % 2 ? "O" : "X";
  const board = game.board.slice(0, cell) + mark + game.board.slice(cell + 1);
  const boards = boardsOf(board);
  const place = CELLS[smallOf(cell)].indexOf(cell);
  const sent = boards[place] === "." ? place : null;
  const outcome = outcomeOfAll(board, boards);
  const open = outcome ? [] : NINE.filter((each) => boards[each] === "." && (sent ?? each) === each);
  const legal = open.flatMap((each) => CELLS[each]).filter((each) => board[each] === ".");
  return { board, boards, sent, legal: legal.sort((a, b) => a - b), moves: [...game.moves, cell], outcome };
}

/** The letters of the small boards, by all marks. @param {string} board */
export const boardsOf = (board) =>
  NINE.map((small) => outcomeOf(marksOf(board, small))).map((ended) => (ended ? (ended.winner ?? "=") : ".")).join("");

/** @param {string} board @param {number} small */
const marksOf = (board, small) => CELLS[small].map((cell) => board[cell]).join("");

/** @param {string} board @param {string} boards @returns {Outcome | null} */
function outcomeOfAll(board, boards) {
  const ended = outcomeOf(boards.replaceAll("=", "."));
  if (!ended?.winner) return boards.includes(".") ? null : { winner: null, reason: "full", line: null };
  const cells = (ended.line ?? []).flatMap((small) => outcomeOf(marksOf(board, small))?.line?.map((place) => CELLS[small][place]) ?? []);
  return { ...ended, line: cells.sort((a, b) => a - b) };
}

/** The move with which the side to move wins the game; null for none. @param {Game} game */
export const winningMove = (game) => game.legal.find((cell) => after(game, cell).outcome?.winner) ?? null;

/**
 * The tasks: the moves before X plays, and whether a move does what is asked. `target` is the small board that
 * is spoken of.
 * @type {{moves: string, target: number, isDone: (before: Game, next: Game) => boolean}[]}
 */
export const POSED = [
  { moves: "f5i4g3a7b1f3", target: 3, isDone: (_, next) => next.sent === 3 },
  { moves: "i7h2f6i8h6e9f9i9g7c3", target: 8, isDone: (before, next) => next.boards !== before.boards },
  {
    moves: "i3h9d8b5d5a5c5g5c4h2e4e3f7h1f3g9a7c1i2g4b2d4a3a8c6i9i4h3e7f1d7a1",
    target: 5,
    isDone: (_, next) => winningMove(next) === null,
  },
];

/** The game of some moves, as `e5d4`. @param {string} text */
export const gameOf = (text) => (text.match(/../g) ?? []).map(cellNamed).reduce(after, START);

/** @param {string} name */
const cellNamed = (name) => START.legal.findIndex((cell) => cellName(cell, RULES) === name);

/** The moves that do what a task asks. @param {number} task */
export function answersTo(task) {
  const game = gameOf(POSED[task].moves);
  return game.legal.filter((cell) => POSED[task].isDone(game, after(game, cell)));
}
