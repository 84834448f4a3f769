// Addresses of pages and endpoints, under the path prefix of a proxy.

const base = new URL("../../../", import.meta.url); // this module is in web/js/net/

export const lobbyPage = () => base.href;
export const roomPage = (room) => new URL(`rooms/${room}`, base).href;
export const gamePage = (room, game, ply) =>
  new URL(`rooms/${room}/games/${game}${ply == null ? "" : `#ply=${ply}`}`, base).href;

export function socketUrl(path) {
  const url = new URL(`ws/${path}`, base);
  url.protocol = url.protocol.replace("http", "ws");
  return url.href;
}

/** The JSON of an `api/` path; null without an answer. */
export async function fetchJson(path) {
  try {
    const response = await fetch(new URL(`api/${path}`, base));
    return response.ok ? await response.json() : null;
  } catch {
    return null; // offline, or no server: the socket reports that
  }
}

/** The room and the game that the address of this page names. `game` is NaN on a room's page. */
export function parseLocation() {
  const [, room, , game] = location.pathname.slice(base.pathname.length).split("/");
  return { room: room.toLowerCase(), game: Number(game) };
}

/** Separates the stored values of servers that share an origin. */
export const basePath = base.pathname;
