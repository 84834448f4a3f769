"""What the page says about an event, in words."""

import json
from pathlib import Path
from typing import Final

from tests.integration.test_lessons import MODEL, run

TEXTS: Final = {
    language: [
        json.loads((MODEL.parents[1] / "lang" / part / f"{language}.json").read_text())
        for part in (".", "event")
    ]
    for language in ("en", "de", "fr", "es")
}
POINTS = """
import { pointsOf } from "./event_words.js";
import { addTexts, setLanguage } from "./language.js";
const told = Object.entries(JSON.parse(process.argv[1])).map(([language, texts]) => {
  setLanguage(language);
  texts.forEach(addTexts);
  return [0, 0.5, 1, 1.5, 2].map((points) => pointsOf({ points }));
});
console.log(JSON.stringify(told));
"""


def test_one_point_is_no_plural(tmp_path: Path) -> None:
    assert run(POINTS, TEXTS, tmp_path) == [
        ["0 points", "½ points", "1 point", "1½ points", "2 points"],
        ["0 Punkte", "½ Punkte", "1 Punkt", "1½ Punkte", "2 Punkte"],
        ["0 point", "½ point", "1 point", "1½ point", "2 points"],
        ["0 puntos", "½ puntos", "1 punto", "1½ puntos", "2 puntos"],
    ]
