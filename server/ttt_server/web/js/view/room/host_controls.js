// The rights of the maker of a room: choose the members who may chat, clear the chat, mute, remove.

import { t } from "../../model/language.js";
import { chatModeOf, isHost, seatsOf } from "../../model/state.js";
import { isolated } from "../../model/words.js";
import { confirmed } from "../confirmed.js";
import { h, setText } from "../dom.js";
import { addPart, addStyles } from "../page.js";

await addPart("host");
await addStyles("css/host.css");

const MODES = ["all", "players", "off"];

export class HostControls {
  #moderate;
  #view = null;
  #known = null;
  #muted = new Set();
  #mode;
  #hasMetOthers = false;

  /** `moderate(fields)` sends the command. */
  constructor(moderate) {
    this.#moderate = moderate;
    const options = MODES.map((mode) => h("option", { value: mode }, t(`chat.mode.${mode}`)));
    const choose = () => moderate({ action: "chat", chat: this.#mode.value });
    this.#mode = h("select", { class: "small", "aria-label": t("chat.mode"), onchange: choose }, ...options);
    this.element = h(
      "span",
      { class: "host", hidden: true },
      this.#mode,
      confirmed(t("chat.clear"), t("chat.clear_sure"), () => moderate({ action: "clear" })),
    );
  }

  show(view) {
    this.#view = view;
    if (view.muted !== this.#known) this.#muted = new Set((this.#known = view.muted));
    this.#hasMetOthers ||= isOpenToOthers(view) || chatModeOf(view) !== "all";
    this.element.hidden = !isHost(view) || !this.#hasMetOthers;
    if (document.activeElement !== this.#mode) this.#mode.value = chatModeOf(view);
  }

  /** The rights of the host over a member `{from, name}`; null for others, and about oneself. */
  menuOf({ from, name }) {
    const { you, partner } = this.#view;
    if (!isHost(this.#view) || !from || [you.from, you.id, partner?.id].includes(from)) return null;
    const mute = h("button", { type: "button", onclick: () => this.#mute(from, mute) });
    this.#showMuted(from, mute);
    const list = h(
      "span",
      { class: "menu-list" },
      mute,
      confirmed(t("host.remove"), t("host.remove_sure"), () => this.#moderate({ action: "remove", from })),
    );
    const unfold = ({ target }) => {
      this.#showMuted(from, mute); // another menu may have changed it
      if (target.open) list.scrollIntoView({ block: "nearest" }); // the newest message is at the end of its list
    };
    const summary = h("summary", { "aria-label": t("host.menu", { name: isolated(name) }) }, "⋯");
    return h("details", { class: "menu", ontoggle: unfold }, summary, list);
  }

  #mute(from, button) {
    const isMuted = this.#muted.has(from);
    if (!this.#moderate({ action: isMuted ? "unmute" : "mute", from })) return;
    if (isMuted) this.#muted.delete(from);
    else this.#muted.add(from);
    this.#showMuted(from, button);
  }

  #showMuted(from, button) {
    setText(button, t(this.#muted.has(from) ? "host.unmute" : "host.mute"));
  }
}

/** Whether others are here, or a seat waits for them: nobody keeps order over AIs. */
function isOpenToOthers(view) {
  const { seats, spectators } = view.room;
  const isOwn = (mark) => seats[mark]?.kind === "ai" || seatsOf(view).includes(mark);
  return spectators > 0 || !["X", "O"].every(isOwn);
}
