// The server's strategies, fetched once.

import { fetchJson } from "./address.js";

let loading = null;

/** `[{name, levels, about, boards}]`; none without an answer. */
export const strategies = () => (loading ??= fetchJson("strategies").then((answer) => answer?.strategies ?? []));
