// The state of an event, in words. Pure.

import { optionalText, t } from "./language.js";
import { aiNameOf, isolated, refusalWords } from "./words.js";

const MOST_GAMES = 50; // that a message has: those under way, then the latest
const FEW = 3; // games that are named

/** A line about what is going on at `now`, a time of the server. */
export function statusWords(event, now = event.now) {
  switch (event.status) {
    case "created":
      return t("tournament.waits", { count: event.players });
    case "paused":
      return t("tournament.paused");
    case "finished":
      return finishedWords(winnerOf(event), event.ended_early);
    default:
      return runningWords(event, now);
  }
}

/** What is going on in an event of the list for all. */
export function listedWords({ status, round, players }) {
  if (status === "created") return t("tournament.waits", { count: players });
  const words = [t("tournament.players", { count: players })];
  if (status === "paused") words.push(t("tournament.paused"));
  else words.push(round ? t("tournament.round", { round }) : t("tournament.running_form"));
  return words.join(" · ");
}

/** The same for a wall, without those who are waited for. */
export const roundWords = (event, now) => statusWords({ ...event, waiting_for: [] }, now);

/** The names of those who are waited for; empty without any. */
export const missingWords = ({ status, waiting_for: missing }) =>
  status === "running" && missing.length ? t("tournament.waiting_for", { names: missing.join(", ") }) : "";

/** How many games of the round are over, and the last ones by name; empty where there is nothing to wait for. */
export function progressWords(event, now) {
  const { form, status, round, games, ends_at: endsAt } = event;
  const open = games.filter(({ result }) => result === null);
  if (status !== "running" || !open.length || now < endsAt) return "";
  const all = games.filter((game) => game.round === round).length;
  const isCounted = form !== "arena" && all > 1 && all < MOST_GAMES;
  const words = isCounted ? [t("tournament.games_over", { over: all - open.length, all })] : [];
  if (open.length <= FEW) words.push(t("tournament.still_playing", { names: open.map((game) => pairOf(game, event)).join(", ") }));
  return words.join(" ");
}

/** Whom a player without a game meets next, and what for the player waits; `player` is a row of the standings, or its `{id, name}`. */
export function nextWords(event, player, now) {
  const { form, status, awaits, round, rounds, games, ends_at: endsAt } = event;
  const own = games.filter(({ ids }) => ids.includes(player.id));
  if (status !== "running" || own.some(({ result }) => result === null)) return "";
  const words = [];
  if (now < endsAt) words.push(t("tournament.next.arena"));
  if (form === "knockout") words.push(nextOfBracket(event, player.name));
  if (form === "swiss" || form === "round-robin") {
    if (!awaits && !own.some((game) => game.round === round)) words.push(pauseWords(event, player));
    if (!awaits && (rounds === null || round < rounds)) words.push(t("tournament.next.rounds"));
  }
  if (awaits) words.push(t("tournament.next.manual"));
  return [...words, progressWords(event, now)].filter(Boolean).join(" ");
}

/** Why there is no game in this round: a bye, if the player has had a game or a bye in each. */
const pauseWords = ({ form, round }, { wins, draws, losses, byes }) =>
  t(form === "swiss" && byes && wins + draws + losses + byes === round ? "tournament.next.bye" : "tournament.next.none");

/** The opponent in the next round of a knockout, or the tie that decides it; empty after the final. */
function nextOfBracket(event, name) {
  const ties = event.bracket.at(-1);
  const at = ties.findIndex(({ first, second }) => first === name || second === name);
  if (ties[at]?.winner === null) return ""; // another game of the tie
  if (ties[at]?.winner !== name) return t("tournament.next.out");
  const { first, second, winner } = ties[at ^ 1] ?? {};
  if (winner) return t("tournament.next.opponent", { opponent: isolated(namesIn(event)(winner)) });
  return first && second ? t("tournament.next.winner", { first: isolated(namesIn(event)(first)), second: isolated(namesIn(event)(second)) }) : "";
}

const pairOf = ({ X, O }, event) => [X, O].map((name) => isolated(namesIn(event)(name))).join(" – ");

/** Points as players write them: 2.5 is `2½`. */
export const pointWords = (number) => `${Math.floor(number) || (number % 1 ? "" : 0)}${number % 1 ? "½" : ""}`;

/** The points of a row of the standings, with their unit. */
export const pointsOf = ({ points }) => t("tournament.points_of", { points: pointWords(points), count: points });

/** The name of a row of the standings: an AI is the computer of a strength. */
export const shownName = ({ kind, name }, rules) => (kind === "ai" ? aiNameOf(name, rules) : name);

/** A function that gives the name to show for one of an event's. */
export function namesIn({ settings: { rules }, standings }) {
  const shown = new Map(standings.filter(({ kind }) => kind === "ai").map((row) => [row.name, shownName(row, rules)]));
  return (name) => shown.get(name) ?? name;
}

/** Why a command of an event was refused, in the language of the page. */
export function eventRefusalWords(refusal) {
  const { command, code } = refusal;
  return (
    optionalText(`tournament.refused.${command}.${code}`) ??
    optionalText(`tournament.refused.${code}`) ??
    refusalWords(refusal)
  );
}

/**
 * The way to take part that a page offers: "playing", "withdrawn", "removed", "out" (removed for good),
 * "closed", "open", "organiser" (open, for one who organises too), or "none". `part` is this browser's
 * player, `{id}` or null; `removal` as an `EventSession` tells it.
 */
export function entryOf({ status, doors_open: isOpen, standings }, part, role, removal) {
  if (removal !== null) return removal === "removed" && status !== "finished" ? "removed" : "out";
  if (status === "finished") return "none";
  if (part) return standings.find(({ id }) => id === part.id)?.status === "withdrawn" ? "withdrawn" : "playing";
  if (role === "organiser") return isOpen ? "organiser" : "none";
  return isOpen ? "open" : "closed";
}

/** Whether any game counts. */
export const hasGames = ({ standings }) => standings.some(({ wins, draws, losses }) => wins + draws + losses > 0);

/** The name of the first in the standings, if any game counts and no other player is as good; else null. */
function winnerOf(event) {
  const first = event.standings.filter(({ rank }) => rank === 1);
  return hasGames(event) && first.length === 1 ? shownName(first[0], event.settings.rules) : null;
}

function finishedWords(name, early) {
  const words = name === null ? t("tournament.over") : t("tournament.won", { name });
  const why = early ? optionalText(`tournament.early.${early}`) : null;
  return why ? `${words} (${why})` : words;
}

function runningWords({ form, awaits, round, rounds, ends_at: endsAt, waiting_for: missing }, now) {
  if (endsAt !== null && now >= endsAt) return t("tournament.last_games");
  if (form === "arena" || form === "simul") return t("tournament.running_form");
  if (awaits) return t("tournament.round_over", { round });
  const words = rounds ? t("tournament.round_of", { round, rounds }) : t("tournament.round", { round });
  return missing.length ? `${words}. ${t("tournament.waiting_for", { names: missing.join(", ") })}` : words;
}

/** The time that an arena has left, as `4:05`; null where there is no such time. */
export function timeLeft(event, now) {
  if (event.status !== "running" || event.ends_at === null) return null;
  const seconds = Math.max(0, Math.ceil((event.ends_at - now) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
