// Addresses of pages and endpoints, under the path prefix of a proxy.

const base = new URL("../../../", import.meta.url); // this module is in web/js/net/

export const lobbyPage = () => base.href;
export const roomPage = (room) => new URL(`rooms/${room}`, base).href;
export const gamePage = (room, game, ply) =>
  new URL(`rooms/${room}/games/${game}${ply == null ? "" : `#ply=${ply}`}`, base).href;

/** The page that explores the position of a query. */
export const explorePage = (query) => new URL(`explore?${query}`, base).href;

export const eventsPage = () => new URL("events", base).href;
/** The page to learn on, at the part that a fragment names. */
export const learnPage = (part) => new URL(`learn#${part}`, base).href;

export const eventPage = (event) => new URL(`events/${event}`, base).href;
/** The address of the page that makes an event; `again`: with the settings of an earlier one. */
export const newEventPage = (event, again = null) => `${eventPage(event)}#new${again ? `=${again}` : ""}`;
/** The page that asks for a code. */
export const joinPage = () => new URL("join", base).href;
export const wallPage = (event) => `${eventPage(event)}/wall`;

/** The address of an event's page with the rights of its organiser; the part behind # goes to no server. */
export const organiserPage = (event, token) => `${eventPage(event)}#organise=${token}`;

/** The address of a room in which the page takes a free seat at once. */
export const seatPage = (room) => `${roomPage(room)}#seat`;

/** The address of a room's bare board, for a page of another site. */
export const embedPage = (room) => `${roomPage(room)}?embed`;

/** Whether this page is a bare board inside of another site's page. */
export const isEmbedded = () => new URLSearchParams(location.search).has("embed");

/** Where the page makes a first move at once, if any; `hasKeys`: the board gets the focus. */
export const movePage = (room, cell, hasKeys) => `${roomPage(room)}#move=${cell ?? ""}${hasKeys ? "&keys" : ""}`;

/** The address of a room in which the page takes both seats. */
export const twoPage = (room) => `${roomPage(room)}#two`;

/** A file of the page itself. */
export const fileUrl = (path) => new URL(`../../${path}`, import.meta.url).href;

/** Whether other machines cannot reach the host of this page. */
export const isThisMachineAlone = () => /^(localhost|127\..*|\[::1\])$/.test(location.hostname);

export function socketUrl(path) {
  const url = new URL(`ws/${path}`, base);
  url.protocol = url.protocol.replace("http", "ws");
  return url.href;
}

/**
 * The status of the answer to an `api/` path, and its JSON or null; the status is 0 without an answer.
 * The token of a seat opens its room, and the games in it. A `signal` gives the question up.
 */
export async function fetchAnswer(path, token = null, signal = null) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  try {
    const response = await fetch(new URL(`api/${path}`, base), { headers, signal });
    return { status: response.status, body: response.ok ? await response.json() : null };
  } catch {
    return { status: 0, body: null }; // offline, or no server: the socket reports that
  }
}

/** The text of an `api/` path; null without an answer. A `signal` gives the question up. */
export async function fetchText(path, signal) {
  try {
    const response = await fetch(new URL(`api/${path}`, base), { signal });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

/** The JSON of an `api/` path; null without an answer. */
export const fetchJson = async (path, token = null, signal = null) => (await fetchAnswer(path, token, signal)).body;

/** The texts of a language by key; none without an answer. */
export async function fetchCatalogue(code) {
  try {
    return await (await fetch(fileUrl(`lang/${code}.json`))).json();
  } catch {
    return {};
  }
}

let loading = null;

/** The server's strategies, fetched once: `[{name, levels, about, boards}]`; none without an answer. */
export const strategies = () => (loading ??= fetchJson("strategies").then((answer) => answer?.strategies ?? []));

/**
 * The room and the game that the address of this page names. `game` is null on a room's page, and for
 * what is no number. A slash at the end goes.
 */
export function parseLocation() {
  const path = location.pathname.slice(base.pathname.length).replace(/\/+$/, "");
  if (!location.pathname.endsWith(path)) history.replaceState(null, "", `${base.href}${path}${location.hash}`);
  const [, room, , game] = path.split("/");
  return { room: room.toLowerCase(), game: /^\d{1,6}$/.test(game) ? Number(game) : null };
}

/** The path of this page below the root, as people read it. */
export function lostPath() {
  const path = location.pathname.slice(base.pathname.length);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The event that the address of this page names. */
export function eventOfLocation() {
  const [, event] = location.pathname.slice(base.pathname.length).split("/");
  return event.toLowerCase();
}

/** Separates the stored values of servers that share an origin. */
export const basePath = base.pathname;
