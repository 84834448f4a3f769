// The link to a room or a position, in every way that a friend can get it.

import { qrModules } from "../model/qr.js";
import { t } from "../model/language.js";
import { embedPage, isThisMachineAlone } from "../net/address.js";
import { h, s, setText } from "./dom.js";
import { addStyles } from "./page.js";

await addStyles("css/share.css");

const QUIET = 4; // modules around a QR code, as its standard asks for

export class Share {
  #link;
  #address;

  /**
   * `label` names the link for a screen reader, and `title` the whole. `frameOf`: the room whose board another
   * page can show in a frame.
   */
  constructor(address, { label = t("share.link"), title = t("share.title"), frameOf = null } = {}) {
    this.#address = address;
    this.#link = h("input", { readonly: true, value: address, "aria-label": label });
    const button = (words, press) => h("button", { type: "button", onclick: press }, words);
    const copy = button(t("share.copy"), () => this.#copy(copy));
    copy.className = "main";
    const sheet = { title: t("app"), text: t("share.text"), url: address };
    const share = button(t("share.share"), () => navigator.share(sheet).catch(() => {})); // it was closed again
    share.hidden = !navigator.share;
    const code = codeOf(address);
    this.element = h(
      "section",
      { class: "share", "aria-label": title },
      h(
        "div",
        { class: "share-words" },
        h("p", {}, title),
        h("div", { class: "share-row" }, this.#link, copy, share),
        isThisMachineAlone() ? h("small", {}, t("share.alone")) : null,
        frameOf ? frame(frameOf) : null,
      ),
      code,
    );
  }

  async #copy(button) {
    setText(button, (await this.#wasCopied()) ? t("share.copied") : t("share.press"));
    setTimeout(() => setText(button, t("share.copy")), 3000);
  }

  /** The clipboard API is for secure pages; plain HTTP in a local network has the older command. */
  async #wasCopied() {
    try {
      await navigator.clipboard.writeText(this.#address);
      return true;
    } catch {
      this.#link.select();
      return document.execCommand("copy");
    }
  }
}

/** The words that show a room's board in another page. */
function frame(room) {
  const words = `<iframe src="${embedPage(room)}" width="360" height="480" title="${room}"></iframe>`;
  const field = h("textarea", { readonly: true, rows: 3, "aria-label": t("share.embed"), onfocus: () => field.select() }, words);
  return h("details", {}, h("summary", {}, t("share.embed")), field, h("small", {}, t("share.embed_words")));
}

/** The QR code of an address; null where it is too long for one. */
export function codeOf(address) {
  const rows = qrModules(address);
  if (rows === null) return null;
  const size = rows.length + 2 * QUIET;
  const path = rows
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : "")))
    .join("");
  return s(
    "svg",
    { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": t("share.code") },
    s("rect", { width: size, height: size, fill: "#fff" }),
    s("path", { d: path, fill: "#000" }),
  );
}
