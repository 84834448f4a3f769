// The texts of the page, put together from the catalogue. Pure; plain text, in which a name cannot
// reorder its neighbours.

import { currentLanguage, optionalText, t } from "./language.js";
import { LEVELLED, strengthOf } from "./strength.js";
import { chatModeOf, chooser, isOfAis, isOpening, isShared, isYourTurn, markAt, offered, other, seatOf, toMove } from "./state.js";

export const columnLetter = (column) => String.fromCharCode(97 + column);

/** A cell as `b2`: column letter from the left, row number from the top; in a cube the layer before it. */
export function cellName(cell, { columns, variant }) {
  if (variant === "cube") return `${Math.floor(cell / columns ** 2) + 1}${cellName(cell % columns ** 2, { columns })}`;
  return `${columnLetter(cell % columns)}${Math.floor(cell / columns) + 1}`;
}

/** A name, isolated from the direction of the text around it (by FSI and PDI). */
export const isolated = (name) => `\u2068${name}\u2069`;

export function rulesWords({ columns, rows, in_a_row: length, gravity, exact, variant }) {
  if (variant) return `${optionalText(`family.${variant}`) ?? variant} ${columns}×${variant === "cube" ? `${columns}×${columns}` : rows}`;
  const number = optionalText(`number.${length}`) ?? length;
  const words = t(gravity ? "rules.falling" : "rules", { columns, rows, number });
  return exact ? t("rules.exact", { rules: words }) : words;
}

/** The board of a room, and its opening. */
export function roomRulesWords({ rules, opening }) {
  return opening ? `${rulesWords(rules)}, ${t(`opening.${opening}`)}` : rulesWords(rules);
}

/** The choices of an opening: `stay, swap, or two more`. */
const choicesWords = (choices) => choices.map((choice) => optionalText(`choice.${choice}`) ?? choice).join(", ");

/** The task of a player in an opening; null for an ordinary turn. */
function openingWords(view) {
  const { game, settings } = view.room;
  const isYours = !isShared(view) && (isYourTurn(view) || (chooser(view) !== null && chooser(view) === seatOf(view)));
  const name = nameAt(view, game.turn);
  if (chooser(view)) {
    const choices = choicesWords(game.choices ?? []);
    return isYours ? t("opening.you_choose", { choices }) : t("opening.chooses", { name, choices });
  }
  const count = game.to_place;
  if (settings.opening !== "swap2" || !count) return null;
  const isTwoMore = game.ply === 3;
  if (isYours) return isTwoMore ? t("opening.you_place_more") : t("opening.you_place", { count });
  return isTwoMore ? t("opening.places_more", { name }) : t("opening.places", { name, count });
}

/** The news for the reader: the turn, the outcome, or what the room waits for. */
export function statusWords(view) {
  const { status, game, seats } = view.room;
  if (game?.outcome) return outcomeForReader(view);
  if (status === "playing") {
    const opening = openingWords(view);
    if (opening) return opening;
    return isYourTurn(view) && !isShared(view) ? t("turn.yours") : t("turn", { name: nameAt(view, game.turn) });
  }
  if (seatOf(view)) return t("waiting.opponent");
  return seats.X || seats.O ? t("waiting.join", { name: nameAt(view, seats.X ? "X" : "O") }) : t("waiting.empty");
}

/** The line below: why the game ended, or why a spectator can only watch. */
export function detailWords(view) {
  const { game, seats, settings, status } = view.room;
  if (game?.outcome) return becauseWords(game.outcome, settings.rules);
  if (status === "playing" && isOpening(view) && toMove(view)) return t("opening.stone", { mark: markAt(game.ply) });
  if (seatOf(view) || !seats.X || !seats.O) return "";
  return t(isOfAis(view.room) ? "watching.ais" : "watching.full");
}

/** Why you cannot chat; null if you can. */
export function chatWords(view) {
  const mode = chatModeOf(view);
  if (mode === "all" || (mode === "players" && seatOf(view))) return null;
  return optionalText(`chat.closed.${mode}`);
}

/** The title's first words, for a tab that is not looked at; empty without news. */
export function titleWords(view) {
  if (view.room.status === "playing" && offered(view).includes("draw")) return t("title.draw");
  if (view.room.game?.outcome) return outcomeForReader(view);
  const isYours = isYourTurn(view) || (chooser(view) !== null && chooser(view) === seatOf(view));
  if (isYours) return `● ${statusWords(view)}`;
  return view.room.status === "playing" ? statusWords(view) : "";
}

function outcomeForReader(view) {
  const { winner, reason } = view.room.game.outcome;
  const seat = isShared(view) ? null : seatOf(view);
  if (!winner) return outcomeWords({ winner, reason });
  return winner === seat ? t("outcome.you_won") : t("outcome.won", { name: nameAt(view, winner) });
}

/** The name in a seat, with its mark where both have the same. */
function nameAt({ room: { seats, settings } }, mark) {
  if (!seats[mark]) return mark;
  const [name, theirs] = [mark, other(mark)].map((each) => nameOf(seats[each], settings.rules));
  return name === theirs ? `${isolated(name)} (${mark})` : isolated(name);
}

export function outcomeWords({ winner, reason }) {
  if (winner) return t("outcome.mark_won", { mark: winner });
  return t(reason === "abandonment" ? "outcome.none" : "outcome.draw");
}

/** The reason of an outcome: `a line: a1, b2, c3`. */
export function becauseWords({ reason, line }, rules) {
  const words = optionalText(`ended.${reason}`) ?? reason;
  return line ? t("pair", { what: words, of: line.map((cell) => cellName(cell, rules)).join(", ") }) : words;
}

/**
 * A player's name, a bot's with that word, or `empty seat`. An AI is the computer of a strength where it is
 * known on this board, else of a kind; without a board it is its strategy with the level.
 */
export function nameOf(player, rules = null) {
  if (!player) return t("seat.empty");
  if (player.bot) return t("seat.bot", { name: player.name });
  if (player.kind !== "ai") return player.name;
  const { strategy = player.name, level = null } = player;
  if (!rules) return level === null ? strategy : `${strategy} ${level}`;
  const strength = strengthOf(rules, player);
  return t("computer", { strength: strength ? t(`strength.${strength}`) : kindWords(strategy, level) });
}

/** What kind of player a strategy is, in a player's words; its name for one of another package. */
export function kindWords(strategy, level = null) {
  const words = optionalText(`kind.${strategy}`) ?? strategy;
  return level === null ? words : `${words}, ${level}`;
}

/** The same for an AI that is named by its strategy, level, and a number among equals: `search 0 2`. */
export function aiNameOf(name, rules) {
  const [, strategy, first = null, second = null] = /^(\w+)(?: (\d+))?(?: (\d+))?$/.exec(name) ?? [null, name];
  const hasLevel = LEVELLED.includes(strategy) && first !== null;
  const rest = hasLevel ? second : first;
  const words = nameOf({ kind: "ai", name, strategy, level: hasLevel ? Number(first) : null }, rules);
  return rest === null ? words : `${words} ${rest}`;
}

/** Why a command was refused; a code of a newer server in that server's words. */
export function refusalWords({ command, code, reason }) {
  return (
    optionalText(`refused.${command}.${code}`) ?? optionalText(`refused.${code}`) ?? reason ?? t("refused.unknown")
  );
}

/** Why the server closed the connection; empty if it gave no reason. */
export function goodbyeWords(goodbye) {
  if (!goodbye) return "";
  return optionalText(`goodbye.${goodbye.code}`) ?? optionalText(`refused.${goodbye.code}`) ?? goodbye.reason;
}

/** Why an AI played a move: its own few words, in the reader's. */
export function thoughtWords(reason) {
  const known = optionalText(`thought.${reason}`);
  if (known) return known;
  const balance = /^wins minus losses: (\S+)$/.exec(reason);
  if (balance) return t("thought.balance", { count: balance[1] });
  const depth = /^depth (\d+)(?:, ([+-]?[01]))?$/.exec(reason);
  if (!depth) return reason;
  const count = Number(depth[1]);
  const expects = depth[2] === undefined ? null : t(`thought.expects.${Number(depth[2])}`);
  const sees = t("thought.sees", { count });
  return expects ? `${sees}, ${expects}` : sees;
}

const DAY_MS = 86_400_000;

/** A time as `4:59`, `0:09.3` in the last ten seconds, and `2d 3h` from a day on. Rounded down. */
export function timeWords(ms) {
  if (ms >= DAY_MS) return `${unitWords(ms / DAY_MS, "day")} ${unitWords((ms % DAY_MS) / 3_600_000, "hour")}`;
  const tenths = Math.floor(Math.max(0, ms) / 100);
  const minutes = Math.floor(tenths / 600);
  const rest = tenths % 600;
  if (tenths < 100) return `0:0${Math.floor(rest / 10)}.${rest % 10}`;
  return `${minutes}:${String(Math.floor(rest / 10)).padStart(2, "0")}`;
}

const unitWords = (count, unit) =>
  new Intl.NumberFormat(currentLanguage(), { style: "unit", unit, unitDisplay: "narrow" }).format(Math.floor(count));

/** Some cells by name: `b6, e6, f6`, and `…` for those after the first `most`. */
export function cellNames(cells, rules, most = 8) {
  const names = cells.slice(0, most).map((cell) => cellName(cell, rules));
  return names.join(", ") + (cells.length > names.length ? " …" : "");
}

/** A move as `3. X b2`. */
export const moveWords = ({ ply, cell }, rules) => `${ply + 1}. ${markAt(ply, rules)} ${cellName(cell, rules)}`;

/** A choice in an opening: `Ada (O) swaps the sides`. */
export const choiceWords = ({ choice }, name) => optionalText(`event.chosen.${choice}`, { name }) ?? t("pair", { what: name, of: choice });

/** The values of cells: `wins: b2 · loses: a1, c3 · not known: c1`; nothing where none is known. */
export function worthWords(values, rules) {
  const isKnown = Object.values(values).some((value) => value !== null);
  const kinds = [1, 0, -1, null].map((value) => {
    const cells = Object.keys(values).filter((cell) => values[cell] === value);
    const names = cellNames(cells, rules, value === null ? undefined : cells.length);
    return isKnown && cells.length ? t("pair", { what: t(`worth.${value}`), of: names }) : null;
  });
  return kinds.filter(Boolean).join(" · ");
}

/** A hint in one line: the best cells, and why. The cells themselves show the rest. */
export function hintWords({ best, reason }, rules) {
  const shown = best.slice(0, 4).map((cell) => cellName(cell, rules));
  const cells = shown.join(", ") + (best.length > shown.length ? " …" : "");
  return t("hint", { cells: cells || "–", reason: thoughtWords(reason) }).replace(" ()", ""); // of random games
}
