// The language of the page: its catalogue of texts, with plural forms by `Intl`. Pure.

let code = "en";
const catalogue = {};
let plurals = new Intl.PluralRules(code);

export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français", es: "Español" };

export function setLanguage(name) {
  code = name;
  plurals = new Intl.PluralRules(name);
}

/** Take more texts, by their keys. */
export const addTexts = (texts) => Object.assign(catalogue, texts);

export const currentLanguage = () => code;

/** The first language of the page among the preferred ones, such as `["fr-CA", "en"]`. */
export function bestLanguage(preferred) {
  const bases = preferred.map((each) => each.toLowerCase().split("-")[0]);
  return bases.find((each) => Object.hasOwn(LANGUAGES, each)) ?? "en";
}

/**
 * The text of a key, with `{name}` replaced by the value of that name. A text with plural forms
 * takes the form of `count`. A key without a text gives `null`.
 */
export function optionalText(key, values = {}) {
  if (!Object.hasOwn(catalogue, key)) return null;
  const text = catalogue[key];
  const form = typeof text === "string" ? text : (text[plurals.select(values.count)] ?? text.other);
  return form.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** The same for a key that each catalogue has. */
export const t = (key, values) => optionalText(key, values) ?? key;
