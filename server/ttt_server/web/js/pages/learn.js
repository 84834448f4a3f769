// The page to learn on: lessons, puzzles, and sets of them. What is shown follows from the part behind `#`.

import { t } from "../model/language.js";
import { LESSONS } from "../model/lessons.js";
import { byId } from "../view/dom.js";
import { loadTexts } from "../view/page.js";

await loadTexts("learn", "game", "share");

addEventListener("hashchange", show);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the part behind # names a lesson
  byId("learn").focus();
});
show();

/** Show what the address names, and give its heading the focus, unless the page has just come. */
async function show() {
  const name = location.hash.slice(1);
  if (!byId("learn").firstElementChild) byId("learn").textContent = t("game.reading");
  const element = await elementOf(name);
  if (location.hash.slice(1) !== name) return; // elsewhere by now
  const isFirst = !byId("learn").firstElementChild;
  byId("learn").replaceChildren(element);
  const title = element.querySelector("h1");
  document.title = `${title.textContent} · ${t("app")}`;
  if (isFirst) return;
  scrollTo(0, 0);
  title.focus();
}

async function elementOf(name) {
  if (LESSONS.includes(name)) {
    const { makeLesson } = await import("../view/learn/lesson.js");
    return makeLesson(name);
  }
  if (name === "daily" || name === "sets" || name.startsWith("set=")) {
    const { daily, puzzleSet, setForm } = await import("../view/learn/puzzles.js");
    return name === "daily" ? daily() : name === "sets" ? setForm() : puzzleSet(name);
  }
  const { overview } = await import("../view/learn/overview.js");
  return overview();
}
