// The language of a page: chosen, loaded, put into the texts of its HTML, and the switch for it.

import { bestLanguage, currentLanguage, LANGUAGES, setLanguage, t } from "../model/language.js";
import { fetchCatalogue, preferredLanguages, rememberLanguage } from "../net/catalogue.js";
import { h } from "./dom.js";

/** Load the texts, and replace those of the page's HTML. Call it before anything is built. */
export async function loadTexts() {
  const code = bestLanguage(preferredLanguages());
  setLanguage(code, await fetchCatalogue(code));
  document.documentElement.lang = code;
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of document.querySelectorAll("[data-label]"))
    element.setAttribute("aria-label", t(element.dataset.label));
  document.querySelector(".languages").append(languageSwitch());
}

function languageSwitch() {
  const options = Object.entries(LANGUAGES).map(([code, name]) =>
    h("option", { value: code, lang: code, selected: code === currentLanguage() }, name),
  );
  const select = h("select", { "aria-label": t("language"), class: "small" }, ...options);
  select.addEventListener("change", () => {
    rememberLanguage(select.value);
    location.reload();
  });
  return select;
}
