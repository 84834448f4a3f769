// What every page begins with: its texts, and the tools in its head, each kept for the next visit.

import { addTexts, bestLanguage, currentLanguage, LANGUAGES, setLanguage, t } from "../model/language.js";
import { fetchCatalogue, fileUrl } from "../net/address.js";
import { recallChoice, recallName, rememberChoice } from "../net/token_store.js";
import { h, s } from "./dom.js";

const THEMES = ["auto", "light", "dark"];
const ICONS = {
  "sound on": "M3 9v6h4l5 4V5L7 9zM16 8.5a5 5 0 0 1 0 7M18.5 6a8.5 8.5 0 0 1 0 12",
  "sound off": "M3 9v6h4l5 4V5L7 9zM16 9.5l5 5M21 9.5l-5 5",
  auto: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
  light: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2",
  own: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21c1-4.5 4-6 8-6s7 1.5 8 6",
  dark: "M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z",
};

export const icon = (path, kind = "icon") => s("svg", { class: kind, viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: path }));

/**
 * Load the texts that all pages have and those of some parts, such as "event", replace those of the page's
 * HTML, and fill its head. Call it before anything is built.
 */
export async function loadTexts(...parts) {
  const code = bestLanguage([recallChoice("language") ?? "", ...navigator.languages]);
  setLanguage(code);
  await Promise.all([addPart(null), ...parts.map(addPart)]);
  document.documentElement.lang = code;
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of document.querySelectorAll("[data-label]"))
    element.setAttribute("aria-label", t(element.dataset.label));
  showTools();
}

/** Load the texts of a part that few visitors need; null for those that all pages have. */
export async function addPart(part) {
  addTexts(await fetchCatalogue(part ? `${part}/${currentLanguage()}` : currentLanguage()));
}

/** Load styles that few visitors need, once. */
export async function addStyles(path) {
  const href = fileUrl(path);
  if (document.querySelector(`link[href="${href}"]`)) return;
  const link = h("link", { rel: "stylesheet", href });
  const loaded = new Promise((done) => (link.onload = link.onerror = done));
  document.head.append(link);
  await loaded;
}

/** Put the tools into the head, and the looks that were chosen into effect. */
function showTools() {
  document.documentElement.dataset.theme = themeOf();
  const looks = ["board", "marks"].map((look) => (document.documentElement.dataset[look] = recallChoice(look) ?? ""));
  if (looks.some(Boolean)) addStyles("css/own.css");
  document.querySelector(".masthead-tools").append(
    toggle(isSoundOn, (isOn) => (isOn ? "sound on" : "sound off"), switchSound),
    toggle(themeOf, (theme) => theme, switchTheme),
    languageSwitch(),
    ownMenu(),
  );
}

/** What is yours: your name, and how boards look to you. Its module is loaded when it is opened. */
function ownMenu() {
  const name = h("bdi", {});
  const call = (words) => (name.textContent = name.title = words);
  call(recallName() || t("own"));
  const menu = h("details", { class: "own" }, h("summary", { title: t("own.title") }, icon(ICONS.own), name));
  const open = async () => {
    const { OwnPanel } = await import("./own_panel.js");
    await addStyles("css/own.css");
    if (menu.children.length === 1) menu.append(new OwnPanel().element);
  };
  const close = () => (menu.open = false);
  menu.addEventListener("toggle", () => menu.open && open());
  menu.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    close();
    menu.firstChild.focus();
  });
  addEventListener("pointerdown", ({ target }) => menu.contains(target) || close());
  addEventListener("named", ({ detail }) => call(detail));
  return menu;
}

/** Play a tone, for users who turned them on. */
export async function playSound(kind) {
  if (!isSoundOn()) return;
  const { playTone } = await import("./sound.js");
  playTone(kind);
}

const isSoundOn = () => recallChoice("sound") === "on";

/** A theme stays what it was, also where nothing can be stored. */
const themeOf = () => recallChoice("theme") ?? document.documentElement.dataset.theme ?? "auto";

function switchSound() {
  rememberChoice("sound", isSoundOn() ? "off" : "on");
  playSound("turn");
}

function switchTheme() {
  const next = THEMES[(THEMES.indexOf(themeOf()) + 1) % THEMES.length];
  rememberChoice("theme", next);
  document.documentElement.dataset.theme = next;
}

/** A button that shows a state as an icon, and goes to the next with a press. */
function toggle(state, nameOf, change) {
  const button = h("button", { type: "button", class: "tool" });
  const show = () => {
    const name = nameOf(state());
    button.replaceChildren(icon(ICONS[name]));
    button.ariaLabel = button.title = t(`tool.${name}`);
  };
  button.addEventListener("click", () => {
    change();
    show();
  });
  show();
  return button;
}

function languageSwitch() {
  const options = Object.entries(LANGUAGES).map(([code, name]) =>
    h("option", { value: code, lang: code, label: name, selected: code === currentLanguage() }, name),
  );
  const select = h("select", { "aria-label": t("language"), class: "small" }, ...options);
  select.addEventListener("change", () => {
    rememberChoice("language", select.value);
    location.reload();
  });
  return select;
}
