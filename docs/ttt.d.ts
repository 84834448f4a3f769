// ttt.v1, made from protocol.schema.json: python -m ttt_protocol docs
// In JavaScript: /** @typedef {import("./ttt").RoomState} RoomState */

/** An AI, as in an event. `level` is null where the strategy has no levels. */
export interface Ai {
  kind: "ai";
  id: null;
  name: string;
  strategy: string;
  level: number | null;
}

/** An AI in a seat. It is always connected. */
export interface AiSeat {
  kind: "ai";
  id: null;
  name: string;
  strategy: string;
  level: number | null;
  connected: boolean;
}

/** An AI for a seat. Without `level` the strategy takes its own default, if it has levels. */
export interface AiSetting {
  strategy: string;
  level: number | null;
}

/** A value for each seat. */
export interface CellBySeat {
  X: number | null;
  O: number | null;
}

/** Who may chat in a room. */
export type ChatMode = "all" | "players" | "off";

/** A choice of a player in an opening. */
export type Choice = "stay" | "swap" | "more";

/** Milliseconds left at the time of sending, and the side whose clock runs. */
export interface Clock {
  X: number;
  O: number;
  running: Mark | null;
}

/** A Fischer clock: a time for all moves, and an increment for each move. */
export interface ClockSetting {
  initial_s: number;
  increment_s: number;
}

/** The commands of a client, with `type` as the discriminator. */
export type Command = JoinCommand | PlayCommand | ChooseCommand | ResignCommand | OfferCommand | AcceptCommand | DeclineCommand | ClaimCommand | FillCommand | HintCommand | SayCommand | LeaveCommand | RenameCommand | ModerateCommand | SeekCommand;

/** What happened in a room, with `type` as the discriminator. */
export type Event = CreatedEvent | SeatedEvent | LeftEvent | StartedEvent | PlayedEvent | ChosenEvent | OfferedEvent | DeclinedEvent | TakenBackEvent | EndedEvent | RenamedEvent | ModeratedEvent | SleptEvent;

/** A game as it stands. */
export interface Game {
  number: number;
  /** `.`, `X` or `O` for each cell, row by row. */
  board: string;
  /** The seat that is to place the next mark, or to choose. */
  turn: Mark;
  /** The seat that is to `choose`: that of `turn`. Absent while a mark is to be placed. */
  choosing?: Mark;
  /** The choices of that seat. Absent with `choosing`. */
  choices?: Choice[];
  /** How many marks that seat places in an opening before the other chooses. Absent if none. */
  to_place?: number;
  /** In a variant, the cells that may be played, where they are not every empty cell, or with gravity the lowest. Absent elsewhere, as are the next three. */
  legal?: number[];
  /** Ultimate: `.` open, `X` or `O` won, `=` full, for each small board. */
  boards?: string;
  /** Vanishing: the cell whose mark goes with the next mark of that side, or null. */
  leaving?: CellBySeat;
  /** Connect6: how many marks the side to act still places in this turn. */
  marks?: number;
  /** The number of moves made. */
  ply: number;
  /** The cells of the moves, in order. */
  moves: number[];
  outcome: Outcome | null;
  /** As in the event `ended`. */
  unrated?: string;
  clock: Clock | null;
}

/** A game of a room, to replay it. `events` are those of the game, in order of `seq`. */
export interface GameRecord {
  room: string;
  /** Its number in the room. */
  game: number;
  rules: Rules;
  /** The moves before its start. Absent for the empty board. */
  start?: number[];
  /** The players at its start. */
  seats: PlayerBySeat;
  /** In a variant, the board after each move that was not taken back, those of the start included. Absent in the plain game. */
  boards?: string[];
  events: (CreatedEvent | SeatedEvent | LeftEvent | StartedEvent | PlayedEvent | ChosenEvent | OfferedEvent | DeclinedEvent | TakenBackEvent | EndedEvent | RenamedEvent | ModeratedEvent | SleptEvent)[];
}

/** An AI for a seat. Without `level` the strategy takes its own default, if it has levels. */
export interface GivenAiSetting {
  strategy: string;
  level?: number | null;
}

/** A Fischer clock: a time for all moves, and an increment for each move. */
export interface GivenClockSetting {
  initial_s: number;
  increment_s?: number;
}

/** What a program thought about its move. Every field may be absent. */
export interface GivenMoveLog {
  reason?: string;
  /** Its score of each cell: `{"4": 0.5}`. */
  values?: Record<string, number>;
  /** How long it thought, measured at its pipe. */
  time_ms?: number;
  /** The last round trip of a ping on its connection. */
  round_trip_ms?: number;
  /** What it wrote to standard error meanwhile. */
  stderr?: string;
}

/** A board, and the length of a line that wins on it. */
export interface GivenRules {
  columns?: number;
  rows?: number;
  in_a_row?: number;
  /** Marks fall to the lowest empty cell of their column. */
  gravity?: boolean;
  /** Whether only a row of exactly `in_a_row` marks wins. Absent if a longer one does. */
  exact?: boolean;
  /** Another game of the family; the server fills in the rest of its board. Absent for the plain game. */
  variant?: string;
}

/** Who plays in each seat: a human, or an AI. */
export interface GivenSeatSettings {
  X?: "human" | GivenAiSetting;
  O?: "human" | GivenAiSetting;
}

/** Settings as a `join` gives them. Fields that are left out are not compared. */
export interface GivenSettings {
  rules?: GivenRules;
  seats?: GivenSeatSettings;
  clock?: GivenClockSetting | null;
  grace_s?: number;
  public?: boolean;
  spectators?: boolean;
  hints?: boolean;
  games?: number;
  pace_s?: number;
  /** Whether programs may take a seat. Absent if they may. */
  bots?: boolean;
  /** Who may chat at first. Absent if all may. */
  chat?: ChatMode;
  /** The moves before the start of every game. Absent for the empty board. */
  start?: number[];
  /** How the players make the beginning of each game fair. Absent if they do not. */
  opening?: Opening;
  /** How late spectators see the games. Absent without a delay. */
  delay_s?: number;
  /** How many days the side to act has for each move. Absent without such a limit. */
  days?: number;
  /** Whether the games count for the ratings of the players, who are persons. Absent if not. */
  rated?: boolean;
  password?: string;
}

/** A value for each seat. */
export interface HereBySeat {
  X: boolean;
  O: boolean;
}

/** A human player, as in an event. */
export interface Human {
  kind: "human";
  id: string;
  name: string;
  /** Whether a program plays, as its client said at `join`. Absent for a human. */
  bot?: boolean;
  /** Who plays, if the name is kept on the server. Absent for a guest. */
  person?: string;
}

/** A human in a seat. `connected`: whether the player has a connection. */
export interface HumanSeat {
  kind: "human";
  id: string;
  name: string;
  /** Whether a program plays, as its client said at `join`. Absent for a human. */
  bot?: boolean;
  /** Who plays, if the name is kept on the server. Absent for a guest. */
  person?: string;
  connected: boolean;
  /** Since when the player is not connected, in Unix milliseconds. Absent while connected. */
  away_since?: number;
}

/** A side, and the mark that it places. X moves first. */
export type Mark = "X" | "O";

/** The messages of a server, with `type` as the discriminator. */
export type Message = WelcomeMessage | UpdateMessage | PresenceMessage | RefusedMessage | HintMessage | SaidMessage | GoodbyeMessage | RoomsMessage | RoomsChangedMessage | ClearedMessage | ReadingMessage | AiOfferedMessage | PairedMessage;

/** The actions of the host of a room. */
export type ModerationAction = "chat" | "mute" | "unmute" | "remove" | "clear";

/** What a program thought about its move. Every field may be absent. */
export interface MoveLog {
  reason?: string;
  /** Its score of each cell: `{"4": 0.5}`. */
  values?: Record<string, number>;
  /** How long it thought, measured at its pipe. */
  time_ms?: number;
  /** The last round trip of a ping on its connection. */
  round_trip_ms?: number;
  /** What it wrote to standard error meanwhile. */
  stderr?: string;
}

/** A value for each seat. */
export interface NameBySeat {
  X: string | null;
  O: string | null;
}

/** The kinds of offers between the players. */
export type OfferKind = "draw" | "takeback" | "rematch";

/** For each kind, the seat whose offer is open. */
export interface Offers {
  draw: Mark | null;
  takeback: Mark | null;
  rematch: Mark | null;
}

/** How the players make the beginning of a game fair. */
export type Opening = "none" | "pie" | "swap2";

/** How a game ended. `line`: all cells of the winning lines, ascending. */
export interface Outcome {
  winner: Mark | null;
  reason: Reason;
  line: number[] | null;
}

/** A value for each seat. */
export interface PlayerBySeat {
  X: Human | Ai | null;
  O: Human | Ai | null;
}

/** How a game ended. */
export type Reason = "line" | "full" | "resignation" | "timeout" | "abandonment" | "agreement" | "forfeit" | "repetition" | "long" | "void";

/** Why a command was not carried out. The code is for programs, the reason for people. */
export type RefusalCode = "bad_json" | "bad_command" | "not_joined" | "already_joined" | "no_such_room" | "seat_taken" | "room_full" | "spectators_off" | "wrong_password" | "bad_token" | "settings_conflict" | "unknown_strategy" | "strategy_cannot_play" | "not_a_player" | "game_not_started" | "wrong_game" | "game_over" | "not_your_turn" | "stale_ply" | "out_of_board" | "cell_taken" | "floating_cell" | "other_board" | "no_such_offer" | "not_allowed" | "too_early" | "rate_limited" | "server_full" | "storage_failed";

/** The role of a member of a room. */
export type Role = "player" | "spectator";

/** The whole room: all that a client needs to draw it. */
export interface RoomState {
  name: string;
  /** The number of events of the room so far. */
  seq: number;
  status: Status;
  locked: boolean;
  settings: Settings;
  /** An empty seat is null. */
  seats: StateBySeat;
  game: Game | null;
  offers: Offers;
  score: Score;
  spectators: number;
  /** Who may chat now. Absent if all may. */
  chat?: ChatMode;
}

/** A board, and the length of a line that wins on it. */
export interface Rules {
  columns: number;
  rows: number;
  in_a_row: number;
  /** Marks fall to the lowest empty cell of their column. */
  gravity: boolean;
  /** Whether only a row of exactly `in_a_row` marks wins. Absent if a longer one does. */
  exact?: boolean;
  /** Another game of the family; the server fills in the rest of its board. Absent for the plain game. */
  variant?: string;
}

/** Games won, by the winner's present seat, and games drawn. */
export interface Score {
  X: number;
  O: number;
  draws: number;
}

/** Who plays in each seat: a human, or an AI. */
export interface SeatSettings {
  X: "human" | AiSetting;
  O: "human" | AiSetting;
}

/** The settings of a room, fixed when it is created. The password is never sent back. */
export interface Settings {
  rules: Rules;
  seats: SeatSettings;
  clock: ClockSetting | null;
  grace_s: number;
  public: boolean;
  spectators: boolean;
  hints: boolean;
  games: number;
  pace_s: number;
  /** Whether programs may take a seat. Absent if they may. */
  bots?: boolean;
  /** Who may chat at first. Absent if all may. */
  chat?: ChatMode;
  /** The moves before the start of every game. Absent for the empty board. */
  start?: number[];
  /** How the players make the beginning of each game fair. Absent if they do not. */
  opening?: Opening;
  /** How late spectators see the games. Absent without a delay. */
  delay_s?: number;
  /** How many days the side to act has for each move. Absent without such a limit. */
  days?: number;
  /** Whether the games count for the ratings of the players, who are persons. Absent if not. */
  rated?: boolean;
}

/** The board, clock and opening that a player seeks in a quick match. */
export interface Sought {
  rules: Rules;
  /** Absent without a clock. */
  clock?: ClockSetting;
  /** As in the settings of a room. */
  opening?: Opening;
}

/** A value for each seat. */
export interface StateBySeat {
  X: HumanSeat | AiSeat | null;
  O: HumanSeat | AiSeat | null;
}

/** The present state of a room. */
export type Status = "waiting" | "playing" | "finished";

/** A room in the lobby. */
export interface Summary {
  name: string;
  status: Status;
  rules: Rules;
  seats: NameBySeat;
  ply: number;
  spectators: number;
  locked: boolean;
  /** The time of the room's last event, in Unix milliseconds. */
  changed_at?: number;
  /** Whether no player is connected. Absent while one is, and for two AIs. */
  deserted?: true;
  /** Whether AIs have both seats. Absent where they do not. */
  ais?: true;
}

/** The milliseconds that each side has left. */
export interface TimeLeft {
  X: number;
  O: number;
}

/** The member on this connection. `id`, `seat` and `token` are null for a spectator. */
export interface You {
  id: string | null;
  role: Role;
  seat: Mark | null;
  name: string;
  token: string | null;
  /** The public id in what this member says: a player's `id`, or one for a spectator. */
  from?: string;
  /** Whether this member is the host and may `moderate`. Absent if not. */
  host?: true;
  /** The secret with which a spectator comes back without the password. Absent for a player. */
  watch?: string;
}

/** Accept the other player's offer. */
export interface AcceptCommand {
  /** Repeated in a refusal of this command. */
  id?: string;
  type: "accept";
  kind: OfferKind;
}

/** A choice in the opening of a game: `ply` is the number of moves made before it. */
export interface ChooseCommand {
  /** Repeated in a refusal of this command. */
  id?: string;
  type: "choose";
  game: number;
  ply: number;
  choice: Choice;
}

/** Win the game against an opponent who is to act and has been gone for too long. */
export interface ClaimCommand {
  /** Repeated in a refusal of this command. */
  id?: string;
  type: "claim";
  game: number;
}

/** Decline the other player's offer. */
export interface DeclineCommand {
  /** Repeated in a refusal of this command. */
  id?: string;
  type: "decline";
  kind: OfferKind;
}

/** Seat an AI where nobody sits, or a human has been gone for too long. */
export interface FillCommand {
  /** Repeated in a refusal of this command. */
  id?: string;
  type: "fill";
  seat: Mark;
  strategy: string;
  level?: number;
}

/** Ask for the best moves. Only for the player to move, in a room with hints. */
export interface HintCommand {
  /** Repeated in a refusal of this command. */
  id?: string;
  type: "hint";
}

/** The first command on a connection. */
export interface JoinCommand {
  /** Repeated in a refusal of this command. */
  id?: string;
  type: "join";
  name?: string;
  role?: Role;
  seat?: Mark;
  /** Whether a program plays, which everyone in the room is told. */
  bot?: boolean;
  token?: string;
  settings?: GivenSettings;
  password?: string;
  /** A spectator's `you.watch` of an earlier welcome, in place of the password. */
  watch?: string;
  /** A secret that the client makes. Sent again, it finds the seat of a lost welcome. */
  claim_key?: string;
  /** The token of the person who joins, under the name that they keep on this server. */
  person?: string;
}

/** Give up the seat for good, and end the connection. */
export interface LeaveCommand {
  /** Repeated in a refusal of this command. */
  id?: string;
  type: "leave";
}

/** Moderate the chat and the members. Only for the host. `chat` comes with the action `chat`, and `from` with `mute`, `unmute` and `remove`. */
export interface ModerateCommand {
  /** Repeated in a refusal of this command. */
  id?: string;
  type: "moderate";
  action: ModerationAction;
  chat?: ChatMode;
  /** The public id of a member, as in `said`. */
  from?: string;
}

/** Offer the other player something. If both offer the same, they agree. */
export interface OfferCommand {
  /** Repeated in a refusal of this command. */
  id?: string;
  type: "offer";
  kind: OfferKind;
}

/** A move: `ply` is the number of moves made before it. */
export interface PlayCommand {
  /** Repeated in a refusal of this command. */
  id?: string;
  type: "play";
  game: number;
  ply: number;
  cell: number;
  /** What a program thought about its move. Only for a seat with `bot`. */
  log?: GivenMoveLog;
}

/** Take another name, in the seat or as a spectator. */
export interface RenameCommand {
  /** Repeated in a refusal of this command. */
  id?: string;
  type: "rename";
  name: string;
}

/** Give up the running game. The other player wins it. */
export interface ResignCommand {
  /** Repeated in a refusal of this command. */
  id?: string;
  type: "resign";
  game: number;
  /** Why a program cannot go on; the game ends by `forfeit`. Only for a seat with `bot`. */
  detail?: string;
}

/** Chat with everyone in the room. The server cleans the text. */
export interface SayCommand {
  /** Repeated in a refusal of this command. */
  id?: string;
  type: "say";
  text: string;
}

/** Wait on `/ws/play` for a player who wants the same. Replaces an earlier `seek`. */
export interface SeekCommand {
  /** Repeated in a refusal of this command. */
  id?: string;
  type: "seek";
  rules?: GivenRules;
  clock?: GivenClockSetting | null;
  /** As in the settings of a room. */
  opening?: Opening;
  /** Play an AI at once instead. */
  ai?: boolean;
}

/** A choice in the opening of a game: with `swap` the players change seats, as does the score. `ply` is the number of moves made before it. */
export interface ChosenEvent {
  type: "chosen";
  /** The number of events of the room so far, this one included. */
  seq: number;
  /** Unix time in milliseconds. */
  at: number;
  game: number;
  ply: number;
  /** The seat of the player who chose, before the choice. */
  seat: Mark;
  choice: Choice;
  /** After the choice: the time goes with the players. Absent in a game without a clock. */
  clock?: TimeLeft;
}

/** The room is created, with complete settings. */
export interface CreatedEvent {
  type: "created";
  /** The number of events of the room so far, this one included. */
  seq: number;
  /** Unix time in milliseconds. */
  at: number;
  settings: Settings;
  /** A hash of the password, useless without the server's secret. Absent without a password. */
  lock?: string;
  /** The public id of the spectator who made the room; empty if the room has no host. Absent if the first human in a seat is the host. */
  host?: string;
  /** The package whose variant is played. Absent unless it is a plug-in's. */
  package?: string;
}

/** `seat` declines the other player's offer. */
export interface DeclinedEvent {
  type: "declined";
  /** The number of events of the room so far, this one included. */
  seq: number;
  /** Unix time in milliseconds. */
  at: number;
  kind: OfferKind;
  seat: Mark;
}

/** The game is over. */
export interface EndedEvent {
  type: "ended";
  /** The number of events of the room so far, this one included. */
  seq: number;
  /** Unix time in milliseconds. */
  at: number;
  game: number;
  outcome: Outcome;
  /** Why an AI or a bot forfeits. Absent otherwise. */
  detail?: string;
  /** At the end. Absent in a game without a clock. */
  clock?: TimeLeft;
  /** Why this game of a rated room does not count: a word of `Unrated`. Absent if it counts, and in other rooms. */
  unrated?: string;
}

/** The player gave up the seat for good. */
export interface LeftEvent {
  type: "left";
  /** The number of events of the room so far, this one included. */
  seq: number;
  /** Unix time in milliseconds. */
  at: number;
  seat: Mark;
}

/** The host changed who may chat. */
export interface ModeratedEvent {
  type: "moderated";
  /** The number of events of the room so far, this one included. */
  seq: number;
  /** Unix time in milliseconds. */
  at: number;
  chat: ChatMode;
}

/** `seat` offers the other player something. */
export interface OfferedEvent {
  type: "offered";
  /** The number of events of the room so far, this one included. */
  seq: number;
  /** Unix time in milliseconds. */
  at: number;
  kind: OfferKind;
  seat: Mark;
}

/** A move: `ply` is the number of moves made before it. */
export interface PlayedEvent {
  type: "played";
  /** The number of events of the room so far, this one included. */
  seq: number;
  /** Unix time in milliseconds. */
  at: number;
  game: number;
  ply: number;
  seat: Mark;
  cell: number;
  /** Why an AI played it. Absent for a human. */
  reason?: string;
  /** After the move. Absent in a game without a clock. */
  clock?: TimeLeft;
  /** What a program thought about its move. Absent if it told nothing. */
  log?: MoveLog;
}

/** The human in `seat` has a new name. */
export interface RenamedEvent {
  type: "renamed";
  /** The number of events of the room so far, this one included. */
  seq: number;
  /** Unix time in milliseconds. */
  at: number;
  seat: Mark;
  name: string;
}

/** `player` sits down in `seat`, in place of the player before. */
export interface SeatedEvent {
  type: "seated";
  /** The number of events of the room so far, this one included. */
  seq: number;
  /** Unix time in milliseconds. */
  at: number;
  seat: Mark;
  player: Human | Ai;
}

/** The server did not run for a while. The side to move gets the time beyond 2 s back. */
export interface SleptEvent {
  type: "slept";
  /** The number of events of the room so far, this one included. */
  seq: number;
  /** Unix time in milliseconds. */
  at: number;
  game: number;
  /** The side that was to move. */
  seat: Mark;
  given_back_ms: number;
  /** Now, with the time given back. */
  clock: TimeLeft;
}

/** The next game begins. If the same two played the last one, the player who began it as O now plays X: they change seats, unless they did so in its opening. */
export interface StartedEvent {
  type: "started";
  /** The number of events of the room so far, this one included. */
  seq: number;
  /** Unix time in milliseconds. */
  at: number;
  game: number;
}

/** The game goes back to `ply` moves. */
export interface TakenBackEvent {
  type: "taken_back";
  /** The number of events of the room so far, this one included. */
  seq: number;
  /** Unix time in milliseconds. */
  at: number;
  game: number;
  ply: number;
  /** After the takeback: spent time stays spent, and the increments of the moves are lost. Absent in a game without a clock. */
  clock?: TimeLeft;
}

/** No player has come yet. A `seek` with `ai` is paired with this AI at once. */
export interface AiOfferedMessage {
  type: "ai_offered";
  strategy: string;
  /** Null where the strategy has no levels. */
  level: number | null;
}

/** The host cleared the chat: show nothing of what was said before. */
export interface ClearedMessage {
  type: "cleared";
}

/** The server is about to close this connection. */
export interface GoodbyeMessage {
  type: "goodbye";
  code: number;
  reason: string;
  retry_after_s?: number;
}

/** The answer to `hint`. */
export interface HintMessage {
  type: "hint";
  best: number[];
  /** The value of each legal cell for the mover: loss, draw or win; null where unknown. */
  values: Record<string, -1 | 0 | 1 | null>;
  reason: string;
}

/** An opponent is found and a seat is held: `join` the room with this token. */
export interface PairedMessage {
  type: "paired";
  room: string;
  /** Owns the seat. Use it within `within_s` seconds. */
  token: string;
  seat: Mark;
  within_s: number;
}

/** The connected seats and spectators. Not numbered; several changes may become one. */
export interface PresenceMessage {
  type: "presence";
  seats: HereBySeat;
  spectators: number;
}

/** The long log of a room is still being read, once a second; the answer to `join` follows. */
export interface ReadingMessage {
  type: "reading";
  /** The number of the last event that was read; 0 before the first. */
  seq: number;
}

/** The command was not carried out and nothing changed. */
export interface RefusedMessage {
  type: "refused";
  command: string | null;
  code: RefusalCode;
  reason: string;
  id?: string;
  legal?: number[];
  room?: RoomState;
}

/** The public rooms, on a connection to the lobby. */
export interface RoomsMessage {
  type: "rooms";
  /** The page that is watched, by name: the first, of at most 200 rooms, unless the address has `limit` or `after`. */
  rooms: Summary[];
  /** The number of rooms on all pages; not told by an older server. */
  total?: number;
  /** What players who wait for a quick match seek, each something else: the 16 who wait longest. Absent if there are none, and by an older server. */
  seeking?: Sought[];
}

/** The changes in the list of rooms, on a connection to the lobby with `?changes=1`. */
export interface RoomsChangedMessage {
  type: "rooms_changed";
  /** Rooms that are new on the page or have changed. */
  rooms: Summary[];
  /** Rooms that are no longer on it, and perhaps on the next one. */
  gone: string[];
  /** The number of rooms on all pages; not told by an older server. */
  total?: number;
  /** As in `rooms`; absent while it stays the same. */
  seeking?: Sought[];
}

/** Chat. */
export interface SaidMessage {
  type: "said";
  name: string;
  role: Role;
  text: string;
  /** The speaker's public id. */
  from?: string;
  /** Unix time in milliseconds. */
  at?: number;
}

/** The committed events and the room after them, sent to everyone in the room. */
export interface UpdateMessage {
  type: "update";
  events: (CreatedEvent | SeatedEvent | LeftEvent | StartedEvent | PlayedEvent | ChosenEvent | OfferedEvent | DeclinedEvent | TakenBackEvent | EndedEvent | RenamedEvent | ModeratedEvent | SleptEvent)[];
  room: RoomState;
}

/** The answer to `join`, sent only to the new member. */
export interface WelcomeMessage {
  type: "welcome";
  protocol: string;
  /** Name and version: `ttt-rooms/0.1.0`. */
  server: string;
  you: You;
  /** The server's Unix time in milliseconds, to compare with `away_since` and the like. */
  at?: number;
  /** The latest chat, oldest first. Absent if there is none. */
  feed?: SaidMessage[];
  /** For the host: the public ids of muted members. Absent if there are none. */
  muted?: string[];
  room: RoomState;
}
