// The catalogues of texts, and the language that was chosen in this browser.

import { basePath, fileUrl } from "./address.js";

const KEY = `ttt ${basePath} language`;

/** The chosen language first, then those of the browser. */
export function preferredLanguages() {
  const chosen = recallLanguage();
  return [...(chosen ? [chosen] : []), ...navigator.languages];
}

export function rememberLanguage(code) {
  try {
    localStorage.setItem(KEY, code);
  } catch {
    // No access to storage: the choice lasts as long as the page.
  }
}

/** The texts of a language by key; none without an answer. */
export async function fetchCatalogue(code) {
  try {
    return await (await fetch(fileUrl(`lang/${code}.json`))).json();
  } catch {
    return {};
  }
}

function recallLanguage() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
