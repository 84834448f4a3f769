// The person who keeps a name on this server, as this browser knows them: requests and addresses.

import { lobbyPage } from "./address.js";
import { recallPerson, rememberName, rememberPerson } from "./token_store.js";

/** The page of one's own games; with a code, the one that makes this browser its person's. */
export const mePage = (code = null) => new URL(`me${code ? `#code=${code}` : ""}`, lobbyPage()).href;

/** The page of a person for all. */
export const personPage = (name) => new URL(`people/${encodeURIComponent(name)}`, lobbyPage()).href;

/** The name that the address of this page has behind `people/`. */
export function personOfLocation() {
  const [, name = ""] = location.pathname.slice(new URL(lobbyPage()).pathname.length).split("/");
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/**
 * The answer to a request: `{status, body, reason}`. The status is 0 without an answer; `reason` has the server's
 * words for a refusal. A token that is void is forgotten.
 */
export async function ask(method, path, given = undefined) {
  const token = recallPerson();
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  try {
    const response = await fetch(new URL(`api/${path}`, lobbyPage()), { method, headers, body: given && JSON.stringify(given) });
    const { status, ok } = response;
    if (status === 401 && token === recallPerson()) rememberPerson(null);
    if (!ok) return { status, body: null, reason: (await response.text()).trim() };
    return { status, body: status === 204 ? null : await response.json(), reason: "" };
  } catch {
    return { status: 0, body: null, reason: "" };
  }
}

/** Be the person of an answer `{person, token}` in this browser from now on. */
export function become({ person, token }) {
  rememberPerson(token);
  rememberName(person.name);
}
