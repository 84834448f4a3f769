// Friendly generated names for players and rooms, and what a typed name becomes. Pure: chance is given.

const COLOURS = ["Amber", "Blue", "Brown", "Coral", "Golden", "Green", "Indigo", "Ivory", "Jade", "Lilac"];
const MORE_COLOURS = ["Mint", "Orange", "Pink", "Purple", "Red", "Ruby", "Scarlet", "Silver", "Teal", "White"];
const SMALL = ["Badger", "Beaver", "Finch", "Fox", "Gecko", "Hare", "Hedgehog", "Heron", "Koala", "Lark"];
const LARGE = ["Lemur", "Lynx", "Mole", "Otter", "Owl", "Panda", "Puffin", "Robin", "Seal", "Wombat"];
const THINGS = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "iris", "juniper"];
const MORE_THINGS = ["kite", "lark", "maple", "north", "opal", "pine", "quartz", "river", "slate", "tulip"];

const LONGEST_NAME = 24; // characters, as the server counts them
const LONGEST_ROOM = 32;
const LONGEST_EVENT = 20;

/** A player's name, as `Blue Otter`, from two numbers by chance. */
export const playerName = ([first, second]) =>
  `${pick([...COLOURS, ...MORE_COLOURS], first)} ${pick([...SMALL, ...LARGE], second)}`;

/** A room's name, as `amber-kite-417`, from three numbers by chance. */
export function roomName([first, second, third]) {
  const things = [...THINGS, ...MORE_THINGS];
  return `${pick(things, first)}-${pick(things, second)}-${100 + (third % 900)}`;
}

/** The name of a room for links to its seats, from bytes by chance: `seats-` and two digits a byte. */
export const seatsRoomName = (bytes) =>
  `seats-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;

/** Whether the server takes a name of a player: not too long, and nothing in it that is not shown. */
export function isGoodName(name) {
  const length = [...name.trim()].length;
  const bare = name
    .replace(/\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}/gu, "\u{1f3f4}")
    .replace(/([^\s\p{C}])[\u200c\u200d](?=[^\s\p{C}\p{M}])/gu, "$1");
  return length > 0 && length <= LONGEST_NAME && !/[\p{C}\u2028\u2029]|\p{M}{3}/u.test(bare);
}

/** The room's name that a typed one becomes: `My Room!` gives `my-room`. Empty if nothing is left. */
export function roomNameOf(typed) {
  const plain = typed.normalize("NFKD").replace(/\p{M}/gu, "").replace(/ß/g, "ss").toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, LONGEST_ROOM + 1)
    .replace(/^-|-$/g, "")
    .slice(0, LONGEST_ROOM);
}

/** What a mistyped path probably means: `{room}` for `/room/My_Room`, `{event}` for `/event/Friday!`, null for neither. */
export function placeMeant(path) {
  const parts = path.split("/").filter(Boolean);
  const [first = "", second = ""] = parts;
  if (/^events?$/i.test(first)) return eventNameOf(second) ? { event: eventNameOf(second) } : null;
  if (/^(ladder|explore)$/i.test(first)) return null;
  const isWord = (part) => /^(rooms?|games?|lobby|index\.html?)$/i.test(part);
  const room = roomNameOf(parts.find((part) => !isWord(part)) ?? "");
  return room ? { room } : null;
}

/** What was typed or pasted for a code: `{code, host}`, the host of a link to an event or a room, else null. */
export function codeOf(typed) {
  const link = /^\s*(?:https?:\/\/)?([^\s/]+)\/(?:.*\/)?(?:rooms|events)\/([^\s/?#]+)/i.exec(typed);
  return link ? { code: link[2], host: link[1].toLowerCase() } : { code: typed, host: null };
}

/** The same for an event, whose name is shorter. */
export const eventNameOf = (typed) => roomNameOf(typed).slice(0, LONGEST_EVENT).replace(/-$/, "");

const pick = (list, number) => list[number % list.length];
