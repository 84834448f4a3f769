// Whether this browser tells its person of what happens while they are away, and the hours in which it does not.

import { currentLanguage, t } from "../../model/language.js";
import { troubleOf } from "../../model/own_games.js";
import { fetchJson, lobbyPage } from "../../net/address.js";
import { ask } from "../../net/person.js";
import { h, setText } from "../dom.js";
import { addPart } from "../page.js";

const WORKER = new URL("push_worker.js", lobbyPage()).href;
const SCOPE = new URL("me", lobbyPage()).href;
const NIGHT = { from: "22:00", until: "07:00" };

await addPart("notices");

export class PushSwitch {
  #said = h("p", { class: "trouble", role: "alert", hidden: true });
  #push = h("input", { type: "checkbox", disabled: true, onchange: () => this.#switch() });
  #here = h("p", { class: "facts", hidden: true }, t("notices.not_here"));
  #quiet;
  #from;
  #until;
  #key = null;

  /** `settings`: as the server has them. */
  constructor({ quiet }) {
    this.#quiet = h("input", { type: "checkbox", checked: Boolean(quiet), onchange: () => this.#keepQuiet() });
    const { from, until } = quiet ?? NIGHT;
    this.#from = h("input", { type: "time", required: true, value: from, onchange: () => this.#keepQuiet() });
    this.#until = h("input", { type: "time", required: true, value: until, onchange: () => this.#keepQuiet() });
    this.element = h(
      "section",
      { class: "panel own-data", "aria-labelledby": "notices-title" },
      h("h2", { id: "notices-title" }, t("notices.title")),
      h("p", {}, t("notices.about")),
      this.#said,
      h("div", { class: "way" }, h("label", { class: "check" }, this.#push, h("span", {}, t("notices.here"))), this.#here),
      h(
        "div",
        { class: "way" },
        h("label", { class: "check" }, this.#quiet, h("span", {}, t("notices.quiet"))),
        h("div", { class: "buttons" }, h("label", {}, t("notices.from"), " ", this.#from), h("label", {}, t("notices.until"), " ", this.#until)),
      ),
    );
    this.#look();
  }

  /** See whether notices are possible here, and whether they are on. */
  async #look() {
    const isAble = navigator.serviceWorker && window.PushManager && window.Notification;
    const answer = isAble ? await fetchJson("push-key") : null;
    this.#key = answer?.key ?? null;
    this.#here.hidden = Boolean(this.#key);
    if (!this.#key) return;
    const registration = await navigator.serviceWorker.getRegistration(SCOPE);
    let subscription = await registration?.pushManager.getSubscription();
    if (subscription && !isFor(subscription, this.#key)) {
      await subscription.unsubscribe(); // the server has lost its key
      subscription = null;
    }
    this.#push.checked = Boolean(subscription);
    this.#push.disabled = false;
    if (subscription) await this.#send("POST", subscription); // it may have changed, or the language
  }

  async #switch() {
    this.#push.disabled = true;
    this.#said.hidden = true;
    try {
      await (this.#push.checked ? this.#begin() : this.#end());
    } catch {
      this.#push.checked = false;
      this.#say(t(Notification.permission === "denied" ? "notices.denied" : "notices.failed"));
    }
    this.#push.disabled = false;
  }

  async #begin() {
    if ((await Notification.requestPermission()) !== "granted") {
      this.#push.checked = false;
      return this.#say(t("notices.denied"));
    }
    const registration = await navigator.serviceWorker.register(workerAddress(), { scope: SCOPE });
    await isActive(registration);
    const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: this.#key });
    if (await this.#send("POST", subscription)) return;
    this.#push.checked = false;
    await subscription.unsubscribe();
  }

  async #end() {
    const registration = await navigator.serviceWorker.getRegistration(SCOPE);
    const subscription = await registration?.pushManager.getSubscription();
    if (!subscription) return;
    await this.#send("DELETE", subscription);
    await subscription.unsubscribe();
  }

  async #send(method, subscription) {
    const given = method === "POST" ? subscriptionOf(subscription) : { endpoint: subscription.endpoint };
    const { status, reason } = await ask(method, "me/push", given);
    const isDone = status === 200 || status === 201 || status === 204;
    if (!isDone) this.#say(status === 400 ? reason : t(troubleOf(status)));
    return isDone;
  }

  async #keepQuiet() {
    const { value: from } = this.#from;
    const { value: until } = this.#until;
    if (!from || !until) return;
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const { status, body, reason } = await ask("PATCH", "me", { settings: { quiet: this.#quiet.checked ? { from, until, zone } : null } });
    this.#say(body ? t("me.saved") : status === 400 ? reason : t(troubleOf(status)));
  }

  #say(words) {
    this.#said.hidden = false;
    setText(this.#said, words);
  }
}

/** Whether a subscription is for the server's key, as far as the browser tells. */
function isFor({ options }, key) {
  if (!options?.applicationServerKey) return true;
  const letters = String.fromCharCode(...new Uint8Array(options.applicationServerKey));
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "") === key;
}

/** A subscription as the server takes it. */
function subscriptionOf(subscription) {
  const { endpoint, keys } = subscription.toJSON();
  return { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth }, language: currentLanguage() };
}

/** The worker's address, as the page's policy wants it. */
const policy = window.trustedTypes?.createPolicy("push-worker", { createScriptURL: () => WORKER });
const workerAddress = () => policy?.createScriptURL("") ?? WORKER;

/** Wait until a worker runs: a subscription needs one. */
function isActive({ active, installing, waiting }) {
  if (active) return null;
  const worker = installing ?? waiting;
  return new Promise((done) => worker.addEventListener("statechange", () => worker.state === "activated" && done()));
}
