// What is shown, in words. Pure; plain text, in which a name cannot reorder its neighbours.

export const columnLetter = (column) => String.fromCharCode(97 + column);

/** `b2`: column letter from the left, row number from the top. */
export function cellName(cell, { columns }) {
  return `${columnLetter(cell % columns)}${Math.floor(cell / columns) + 1}`;
}

/** A name from elsewhere, set apart from the direction of the text around it (FSI, PDI). */
export const isolated = (name) => `\u2068${name}\u2069`;

const NUMBERS = ["", "", "", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

export function rulesWords({ columns, rows, in_a_row: length, gravity }) {
  const falls = gravity ? ", pieces fall" : "";
  return `${columns}×${rows}, ${NUMBERS[length] ?? length} in a row${falls}`;
}

/** Whose turn it is, or how it ended, or what the room waits for. */
export function statusWords({ status, game, seats }) {
  if (game?.outcome) return outcomeWords(game.outcome);
  if (status === "playing") return `${game.turn} to move`;
  const free = ["X", "O"].filter((mark) => !seats[mark]);
  return free.length ? `Waiting for ${free.join(" and ")}` : "Waiting";
}

export function outcomeWords({ winner, reason }) {
  if (winner) return `${winner} wins`;
  return reason === "abandonment" ? "Nobody wins" : "Draw";
}

const REASONS = {
  line: "a line",
  full: "the board is full",
  resignation: "by resignation",
  timeout: "on time",
  abandonment: "gone for too long",
  agreement: "by agreement",
  forfeit: "the AI gave no legal move",
};

/** Why it ended so: `a line: a1, b2, c3`. */
export function becauseWords({ reason, line }, rules) {
  const words = REASONS[reason] ?? reason;
  return line ? `${words}: ${line.map((cell) => cellName(cell, rules)).join(", ")}` : words;
}

/** Who sits there: a name, an AI with its level, `nobody`. */
export function nameOf(player) {
  if (!player) return "nobody";
  return player.kind === "ai" && player.level !== null ? `${player.name} ${player.level}` : player.name;
}

/** `4:59`; with tenths in the last ten seconds: `0:09.3`. Never more than there is. */
export function timeWords(ms) {
  const tenths = Math.floor(Math.max(0, ms) / 100);
  const minutes = Math.floor(tenths / 600);
  const rest = tenths % 600;
  if (tenths < 100) return `0:0${Math.floor(rest / 10)}.${rest % 10}`;
  return `${minutes}:${String(Math.floor(rest / 10)).padStart(2, "0")}`;
}

const OFFERED = { draw: "offers a draw", takeback: "asks to take a move back", rematch: "offers a rematch" };
const DECLINED = {
  draw: "declines the draw",
  takeback: "declines to take it back",
  rematch: "declines a rematch",
};

/** The lines that an update is worth, each with its kind; `seat` is yours. */
export function storyOf(before, { events, room }, seat) {
  const rematch = events.findLastIndex((event) => event.type === "started");
  return events.flatMap((event, index) => {
    // The players change sides with a rematch: what led to it was said on the old ones.
    const seats = index < rematch && before ? before.seats : room.seats;
    const text = eventWords(event, { before, room, seats, seat });
    return text ? [{ kind: event.type, seat: event.seat, text }] : [];
  });
}

function eventWords(event, { before, room, seats, seat }) {
  const who = (mark) => sideWords(seats, mark);
  const { rules } = room.settings;
  switch (event.type) {
    case "seated":
      return `${isolated(nameOf(event.player))} takes seat ${event.seat}`;
    case "left":
      return `${isolated(nameOf(before?.seats[event.seat]))} gives seat ${event.seat} up`;
    case "started":
      return startWords(event.game, seats);
    case "played":
      return moveWords(event, rules) + (event.reason ? ` – ${event.reason}` : "");
    case "offered":
      return `${who(event.seat)} ${OFFERED[event.kind]}`;
    case "declined":
      return `${who(event.seat)} ${DECLINED[event.kind]}`;
    case "taken_back":
      return `Taken back to move ${event.ply}`;
    case "ended":
      return `${outcomeWords(event.outcome)}: ${becauseWords(event.outcome, rules)}`;
    default:
      return null; // that a room was created shows
  }
}

/** What a newcomer missed, or one whose connection was lost: `before` is the room as they knew it. */
export function storySoFar(before, { game, seats, settings }) {
  if (!game) return [];
  const isSame = before?.game?.number === game.number;
  const moves = game.moves.map((cell, ply) => {
    const seat = game.board[cell];
    return { kind: "played", seat, text: moveWords({ ply, seat, cell }, settings.rules) };
  });
  const known = isSame ? before.game.ply : 0;
  return [
    ...(isSame ? [] : [{ kind: "started", text: startWords(game.number, seats) }]),
    ...moves.slice(known),
  ];
}

const sideWords = (seats, mark) => `${isolated(nameOf(seats[mark]))} (${mark})`;

const startWords = (number, seats) =>
  `Game ${number}: ${sideWords(seats, "X")} against ${sideWords(seats, "O")}`;

/** `3. X b2`. */
export const moveWords = ({ ply, seat, cell }, rules) => `${ply + 1}. ${seat} ${cellName(cell, rules)}`;

/** Who went away and came back between two states, of those who sit where they sat. */
export function presenceStory(before, room) {
  return ["X", "O"].flatMap((mark) => {
    const [was, now] = [before.seats[mark], room.seats[mark]];
    if (!was || !now || was.id !== now.id || was.connected === now.connected) return [];
    return [
      { kind: "presence", text: `${isolated(now.name)} (${mark}) is ${now.connected ? "back" : "away"}` },
    ];
  });
}

const WORTH = { 1: "wins", 0: "draws", "-1": "loses" };

/** What cells are worth, as far as that is known: `wins: b2 · loses: a1, c3`. */
export function worthWords(values, rules) {
  const kinds = [1, 0, -1].map((value) => {
    const cells = Object.keys(values).filter((cell) => values[cell] === value);
    return cells.length ? `${WORTH[value]}: ${cells.map((cell) => cellName(cell, rules)).join(", ")}` : null;
  });
  return kinds.filter(Boolean).join(" · ");
}

export function hintWords({ best, values, reason }, rules) {
  const cells = best.map((cell) => cellName(cell, rules)).join(" or ");
  const worth = worthWords(values, rules);
  return `Hint: ${cells || "nothing"} (${reason})${worth ? ` – ${worth}` : ""}`;
}
