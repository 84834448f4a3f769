// Where things are, under whatever path a proxy serves us.

const base = new URL("../../../", import.meta.url); // this module is in web/js/net/

export const lobbyPage = () => base.href;
export const roomPage = (room) => new URL(`rooms/${room}`, base).href;
export const gamePage = (room, game, ply) =>
  new URL(`rooms/${room}/games/${game}${ply == null ? "" : `#ply=${ply}`}`, base).href;

export function socketOf(path) {
  const url = new URL(`ws/${path}`, base);
  url.protocol = url.protocol.replace("http", "ws");
  return url.href;
}

/** What the server tells over plain HTTP; null if it does not. */
export async function fetched(path) {
  try {
    const response = await fetch(new URL(`api/${path}`, base));
    return response.ok ? await response.json() : null;
  } catch {
    return null; // offline, or the server is away: the socket tells of that
  }
}

/** The room, and the game if there is one, that this page's own address names. */
export function here() {
  const [, room, , game] = location.pathname.slice(base.pathname.length).split("/");
  return { room: room.toLowerCase(), game: Number(game) };
}

/** Tells servers apart that live under one origin: what a browser keeps is kept for one of them. */
export const site = base.pathname;
