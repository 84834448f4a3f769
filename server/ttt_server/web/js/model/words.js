// The texts of the page. Pure; plain text, in which a name cannot reorder its neighbours.

export const columnLetter = (column) => String.fromCharCode(97 + column);

/** A cell as `b2`: column letter from the left, row number from the top. */
export function cellName(cell, { columns }) {
  return `${columnLetter(cell % columns)}${Math.floor(cell / columns) + 1}`;
}

/** A name, isolated from the direction of the text around it (by FSI and PDI). */
export const isolated = (name) => `\u2068${name}\u2069`;

const NUMBERS = ["", "", "", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

export function rulesWords({ columns, rows, in_a_row: length, gravity }) {
  const falls = gravity ? ", pieces fall" : "";
  return `${columns}×${rows}, ${NUMBERS[length] ?? length} in a row${falls}`;
}

/** The mark to move, the outcome, or the seats that are free. */
export function statusWords({ status, game, seats }) {
  if (game?.outcome) return outcomeWords(game.outcome);
  if (status === "playing") return `${game.turn} to move`;
  const free = ["X", "O"].filter((mark) => !seats[mark]);
  return free.length ? `Waiting for ${free.join(" and ")}` : "Waiting";
}

export function outcomeWords({ winner, reason }) {
  if (winner) return `${winner} wins`;
  return reason === "abandonment" ? "No winner" : "Draw";
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

/** The reason of an outcome: `a line: a1, b2, c3`. */
export function becauseWords({ reason, line }, rules) {
  const words = REASONS[reason] ?? reason;
  return line ? `${words}: ${line.map((cell) => cellName(cell, rules)).join(", ")}` : words;
}

/** A player's name, an AI's with its level, or `empty seat`. */
export function nameOf(player) {
  if (!player) return "empty seat";
  return player.kind === "ai" && player.level !== null ? `${player.name} ${player.level}` : player.name;
}

/** A time as `4:59`, or `0:09.3` in the last ten seconds. Rounded down. */
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

/** The feed lines of an update, each with its kind; `seat` is yours. */
export function narrateUpdate(before, { events, room }, seat) {
  const rematch = events.findLastIndex((event) => event.type === "started");
  return events.flatMap((event, index) => {
    // The players change sides with a rematch: earlier events are about the old sides.
    const seats = index < rematch && before ? before.seats : room.seats;
    const text = eventWords(event, { before, room, seats, seat });
    return text ? [{ kind: event.type, seat: event.seat, text }] : [];
  });
}

function eventWords(event, { before, room, seats, seat }) {
  const side = (mark) => sideWords(seats, mark);
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
      return `${side(event.seat)} ${OFFERED[event.kind]}`;
    case "declined":
      return `${side(event.seat)} ${DECLINED[event.kind]}`;
    case "taken_back":
      return `Taken back to move ${event.ply}`;
    case "ended":
      return `${outcomeWords(event.outcome)}: ${becauseWords(event.outcome, rules)}`;
    default:
      return null; // `created` needs no line
  }
}

/** The feed lines missed before a welcome; `before` is the last known room, or null. */
export function narrateMissed(before, { game, seats, settings }) {
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

/** A move as `3. X b2`. */
export const moveWords = ({ ply, seat, cell }, rules) => `${ply + 1}. ${seat} ${cellName(cell, rules)}`;

/** A feed line for each seated player that went away or came back between two states. */
export function narratePresence(before, room) {
  return ["X", "O"].flatMap((mark) => {
    const [was, now] = [before.seats[mark], room.seats[mark]];
    if (!was || !now || was.id !== now.id || was.connected === now.connected) return [];
    return [
      { kind: "presence", text: `${isolated(now.name)} (${mark}) is ${now.connected ? "back" : "away"}` },
    ];
  });
}

const WORTH = { 1: "wins", 0: "draws", "-1": "loses" };

/** The known values of cells: `wins: b2 · loses: a1, c3`. */
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
