// @ts-check
// The three tasks of each lesson: which of them something that happened on the board has done. Pure.

import { LESSONS } from "../lessons.js";

export const TASKS = [0, 1, 2];
const IN_A_ROW = 2;

/**
 * What happened: a guess at the program's move, with how many before it were right; its move, with the thought
 * behind it; the end of a game against it; a tree whose values were worked out; the strategies that go wrong
 * in a position; or a task that is solved.
 * @typedef {{type: "guessed", inARow: number}
 *   | {type: "answered", reason: string, cells: number[], positions: number | null}
 *   | {type: "ended", winner: string | null}
 *   | {type: "foretold", inARow: number}
 *   | {type: "valued", positions: number, skipped: number}
 *   | {type: "judged", wrong: string[]}
 *   | {type: "solved", task: number}} Happening
 */

/** @type {Record<string, ((it: any) => boolean)[]>} */
const DONE = {
  rules: [
    (it) => it.type === "guessed" && it.inARow >= IN_A_ROW,
    (it) => it.type === "answered" && it.reason === "block",
    (it) => it.type === "ended" && it.winner === "X",
  ],
  counts: [
    (it) => it.type === "guessed" && it.inARow >= IN_A_ROW,
    (it) => it.type === "answered" && it.positions !== null && it.positions < 100,
    (it) => it.type === "ended" && it.winner === "X",
  ],
  lines: [
    (it) => it.type === "guessed" && it.inARow >= IN_A_ROW,
    (it) => it.type === "answered" && it.reason === "open lines" && it.cells.length >= 3,
    (it) => it.type === "ended" && it.winner === "X",
  ],
  ahead: [
    (it) => it.type === "foretold" && it.inARow >= 3,
    (it) => it.type === "valued" && it.skipped === 0,
    (it) => it.type === "valued" && it.skipped >= 2,
  ],
  memory: [
    (it) => it.type === "ended" && it.winner === "X",
    (it) => it.type === "answered" && it.reason.startsWith("avoid"),
    (it) => it.type === "ended" && it.winner !== "X",
  ],
  strength: [
    (it) => it.type === "judged" && it.wrong.includes("rules"),
    (it) => it.type === "judged" && it.wrong.includes("brute") && !it.wrong.includes("rules"),
    (it) => it.type === "judged" && it.wrong.length >= 4,
  ],
  ultimate: TASKS.map((task) => (it) => it.type === "solved" && it.task === task),
};

/** The tasks of a lesson that this does, by number. @param {string} lesson @param {Happening} happening */
export const tasksDoneBy = (lesson, happening) => TASKS.filter((task) => DONE[lesson][task](happening));

/** The tasks that are done, as this browser keeps them: `[0, 2]` from `02`. @param {string | null} text */
export const readDone = (text) => TASKS.filter((task) => (text ?? "").includes(String(task)));

/** The lessons before and after one; null where there is none. @param {string} lesson */
export function neighbours(lesson) {
  const at = LESSONS.indexOf(lesson);
  return { before: LESSONS[at - 1] ?? null, next: LESSONS[at + 1] ?? null };
}
