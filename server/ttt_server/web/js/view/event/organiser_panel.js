// The buttons of the organiser of an event.

import { t } from "../../model/language.js";
import { isolated } from "../../model/words.js";
import { csvLine } from "../../model/spreadsheet.js";
import { newEventPage, organiserPage } from "../../net/address.js";
import { AiPicker } from "../ai_picker.js";
import { freshCode } from "../chance.js";
import { confirmed } from "../confirmed.js";
import { h, setText } from "../dom.js";
import { download } from "../download.js";
import { addStyles } from "../page.js";
import { RESULTS } from "./tables.js";
import { seatLinks } from "./seat_links.js";

await addStyles("css/host.css");

const DEAF_MS = 600; // a finger that was on its way presses nothing that has just come

export class OrganiserPanel {
  #send;
  #name;
  /** The next step, and beside it what it does, or why it is not possible yet. */
  #main = h("div", { class: "next-step" });
  #why = h("p", { id: "why-not", class: "facts" });
  #others = h("div", { class: "row" });
  #doors = h("button", { type: "button" });
  #invitation = organiserLink({ hidden: true });
  #unannounce = button(t("tournament.unannounce"), () => this.#send({ type: "announce" }));
  #addAi;
  #again = button(t("tournament.same"), () => this.#goOn());
  /** The event as it is now. */
  #event = null;
  #steps = "";
  /** The words that are announced before this page is left, and where `to`. */
  #leaving = null;

  /** `name` and `rules` are those of the event; `send(command)` says whether a command went to the server. */
  constructor(name, rules, send) {
    this.#name = name;
    this.#send = send;
    const announcement = h("input", { maxlength: "200", required: true });
    const ai = new AiPicker(rules, t("ai.label"), t("ai.level_label"));
    const addAi = button(t("tournament.add_ai"), () => send({ type: "add_ai", ai: ai.value }));
    this.#addAi = h("div", { class: "row" }, ai.element, addAi);
    this.element = h(
      "section",
      { class: "panel organiser", "aria-label": t("tournament.organise") },
      h("h2", {}, t("tournament.organise")),
      this.#main,
      this.#why,
      h(
        "details",
        { class: "more-tools" },
        h("summary", {}, t("tournament.more_tools")),
        this.#others,
        h(
          "div",
          { class: "row" },
          this.#doors,
          button(t("tournament.invite"), () => send({ type: "invite" })),
          this.#invitation,
        ),
        h(
          "form",
          {
            class: "row",
            onsubmit: (event) => {
              event.preventDefault();
              if (send({ type: "announce", text: announcement.value })) announcement.value = "";
            },
          },
          h("label", { class: "field" }, h("span", {}, t("tournament.announcement")), announcement),
          h("button", { type: "submit" }, t("tournament.announce")),
          this.#unannounce,
        ),
        this.#addAi,
        seatLinks(() => this.#event.settings),
      ),
      h(
        "div",
        { class: "buttons" },
        button(t("tournament.export"), () => this.#export()),
        this.#again,
      ),
    );
  }

  show(event) {
    const { form, status, doors_open: isOpen } = event;
    const isFixed = status !== "created" && ["round-robin", "knockout", "match"].includes(form);
    this.#event = event;
    if (event.announcements.includes(this.#leaving?.text)) location.assign(this.#leaving.to);
    this.#again.hidden = !this.#isOver;
    this.#unannounce.hidden = event.announcements.length === 0;
    this.#doors.hidden = this.#addAi.hidden = this.#isOver || isFixed;
    setText(this.#doors, t(isOpen ? "tournament.close_doors" : "tournament.open_doors"));
    this.#doors.onclick = () => this.#send({ type: "doors", open: !isOpen });
    const [step, ...others] = stepsOf(event);
    this.#showSteps(step, others);
    const { can, why } = step ? stateOf(step, event) : { can: true, why: "" };
    setText(this.#why, why);
    if (step) this.#main.firstChild.disabled = !can;
  }

  /** Show the steps, the first one large; a button that takes the place of another is deaf at first. */
  #showSteps(step, others) {
    const steps = [step, ...others].join();
    if (steps === this.#steps) return;
    const isDeaf = this.#steps !== "";
    this.#steps = steps;
    const hadFocus = this.#main.contains(document.activeElement);
    const make = (type, kind) => {
      const act = () => made.ariaDisabled !== "true" && this.#send({ type });
      const words = t(`tournament.${type}`);
      const made = type === "finish" ? confirmed(words, t("tournament.finish_sure"), act) : button(words, act);
      made.className = kind;
      if (isDeaf) made.ariaDisabled = "true";
      if (isDeaf) setTimeout(() => made.removeAttribute("aria-disabled"), DEAF_MS);
      return made;
    };
    this.#main.replaceChildren(...(step ? [make(step, "main")] : []));
    this.#main.firstChild?.setAttribute("aria-describedby", "why-not");
    this.#others.replaceChildren(...others.map((type) => make(type, "")));
    if (hadFocus) this.#main.firstChild?.focus();
  }

  /** Give the standings as a file for a spreadsheet. */
  #export() {
    const columns = ["rank", "name", "points", "wins", "draws", "losses", "byes", "status"];
    const lines = [columns, ...this.#event.standings.map((row) => columns.map((column) => row[column]))].map(csvLine);
    const file = new Blob([`\ufeff${lines.join("\r\n")}\r\n`], { type: "text/csv" }); // the mark tells a spreadsheet the encoding
    download(file, `${this.#name}.csv`);
  }

  /** Make another event with these settings, and tell the players of this one its code. */
  async #goOn() {
    const event = await freshCode();
    const text = t("tournament.goes_on", { event });
    if (this.#send({ type: "announce", text })) this.#leaving = { text, to: newEventPage(event, this.#name) };
  }

  get #isOver() {
    return this.#event.status === "finished";
  }

  /** Show the link of a second organiser. */
  invite(token) {
    this.#invitation.value = organiserPage(this.#name, token);
    this.#invitation.hidden = false;
    this.#invitation.select();
  }

  /** What may be done with a player: to set aside by one press, the rest in a menu. */
  forPlayer = ({ id, name, status }) =>
    h(
      "td",
      { class: "tools" },
      status === "active" ? this.#asking("excuse", { player: id }) : null,
      h(
        "details",
        { class: "menu" },
        h("summary", { "aria-label": t("tournament.menu", { name: isolated(name) }) }, "⋯"),
        h(
          "span",
          { class: "menu-list" },
          button(t("tournament.rename"), () => this.#rename(id)),
          this.#asking("remove", { player: id, may_return: false }),
        ),
      ),
    );

  /** The button beside a player who was removed. */
  forRemoved = ({ id, may_return: mayReturn }) =>
    h(
      "td",
      { class: "tools" },
      mayReturn
        ? this.#asking("remove", { player: id, may_return: false })
        : button(t("tournament.let_in"), () => this.#send({ type: "remove", player: id, may_return: true })),
    );

  /** The buttons beside a game; none where the next round of a knockout follows from it. */
  forGame = ({ number, round, X, O, result }) => {
    if (this.#event.form === "knockout" && round !== this.#event.round) return null;
    const results = ["X", "O", "draw"].map((each) => h("option", { value: each }, RESULTS[each]));
    const ask = () => {
      sure.hidden = !select.value;
      if (select.value) setText(sure, t("tournament.correct_sure", { result: RESULTS[select.value] }));
    };
    const select = h(
      "select",
      { "aria-label": `${t("tournament.correct")} ${X} – ${O}`, onchange: ask },
      h("option", { value: "" }, t("tournament.correct")),
      ...results,
    );
    const sure = button("", () => {
      this.#send({ type: "result", game: number, result: select.value });
      select.value = "";
      select.focus();
      ask();
    });
    sure.hidden = true;
    return h(
      "span",
      {},
      select,
      sure,
      result === null && !this.#isOver ? this.#asking("recreate", { game: number }) : null,
    );
  };

  /** A button of a command that costs a game. */
  #asking(type, fields) {
    const act = () => this.#send({ type, ...fields });
    const asking = confirmed(t(`tournament.${type}`), t(`tournament.${type}_sure`), act);
    asking.className = type;
    return asking;
  }

  #rename(player) {
    const old = this.#event.standings.find(({ id }) => id === player).name;
    const name = prompt(t("tournament.new_name", { name: old }), old)?.trim();
    if (name && name !== old) this.#send({ type: "rename", player, name });
  }
}

/** A field with a link that has the rights of the organiser. */
export const organiserLink = (attributes) =>
  h("input", {
    ...attributes,
    class: "organiser-link",
    readonly: true,
    "aria-label": t("tournament.organiser_link"),
    onfocus: ({ target }) => target.select(),
  });

/** The organiser's steps in an event, the next one first. */
function stepsOf({ status, settings, awaits, round, rounds }) {
  const isByHand = settings.manual && (awaits || rounds === null || round < rounds);
  if (status === "running") return isByHand ? ["next", "pause", "finish"] : ["finish", "pause"];
  return { created: ["start", "finish"], paused: ["resume", "finish"] }[status] ?? [];
}

/** Whether a step is possible, and what is to be said of it. */
function stateOf(step, { form, settings, standings, awaits }) {
  if (step !== "start" && step !== "next") return { can: true, why: "" };
  if (step === "next" && !awaits) return { can: false, why: t("tournament.running_form") };
  const active = standings.filter(({ status }) => status === "active");
  const isLeftOut = ({ present }) => settings.manual && form === "swiss" && !present;
  const count = active.filter((row) => !isLeftOut(row)).length;
  if (form === "match" ? count !== 2 : count < 2) return { can: false, why: t("tournament.refused.start.not_allowed") };
  const names = active.filter(isLeftOut).map(({ name }) => isolated(name)).join(", ");
  return { can: true, why: names ? t("tournament.left_aside", { names }) : "" };
}

const button = (words, press, kind = null) => h("button", { type: "button", class: kind, onclick: press }, words);
