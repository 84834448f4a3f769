"""What the page says about an event, in words."""

import json
from pathlib import Path
from typing import Any, Final

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


NEXT = """
import { nextWords, progressWords } from "./event_words.js";
import { addTexts } from "./language.js";
const { texts, asked } = JSON.parse(process.argv[1]);
texts.forEach(addTexts);
const plain = (words) => words.replace(/[\\u2068\\u2069]/g, "");
const told = asked.map(([event, player]) =>
  player ? nextWords(event, player, event.now) : progressWords(event, event.now),
);
console.log(JSON.stringify(told.map(plain)));
"""


def event(*games: tuple[str, str | None], **fields: Any) -> dict[str, Any]:
    """An event of players a, b, c and so on, with games such as `("ab", result)` in the round."""
    common = {"form": "swiss", "status": "running", "round": 1, "rounds": 3, "now": 0}
    told = [
        {"round": 1, "X": pair[0].upper(), "O": pair[1].upper(), "ids": list(pair), "result": won}
        for pair, won in games
    ]
    empty: dict[str, Any] = {"ends_at": None, "bracket": None, "standings": []}
    empty["settings"] = {"rules": {}}
    return common | empty | {"games": told} | fields


def row(name: str, **fields: int) -> dict[str, Any]:
    return {
        "id": name,
        "name": name.upper(),
        "wins": 0,
        "draws": 0,
        "losses": 0,
        "byes": 0,
    } | fields


def tie(first: str, second: str | None, winner: str | None) -> dict[str, Any]:
    return {"first": first, "second": second, "winner": winner}


BRACKET = [[tie("A", "B", "A"), tie("C", "D", None), tie("E", "F", "F"), tie("G", None, "G")]]
ROUND = "You meet your next opponent when all games of this round are over."
LAST = "Still playing: C \u2013 D."


CASES: list[tuple[dict[str, Any], dict[str, Any] | None, str]] = [
    (event(("ab", "X"), ("cd", None)), None, f"1 of 2 games over. {LAST}"),
    (event(*[("ab", None)] * 4), None, "0 of 4 games over."),
    (event(*[("ab", None)] * 50), None, ""),  # there may be more of them
    (event(("ab", "X")), None, ""),
    (event(("ab", None), status="paused"), None, ""),
    (event(("cd", None), form="arena", ends_at=9, now=8), None, ""),
    (event(("cd", None), form="arena", ends_at=9, now=9), None, LAST),
    (event(("ab", None), ("cd", None)), row("a"), ""),
    (event(("ab", "X"), ("cd", None)), row("a", wins=1), f"{ROUND} 1 of 2 games over. {LAST}"),
    (
        event(("cd", None)),
        row("a", byes=1),
        f"You have a bye: no game in this round, and a point. {ROUND} {LAST}",
    ),
    (
        event(("cd", None), form="round-robin", round=3),
        row("a", byes=1),
        f"You have no game in this round. {LAST}",
    ),
    (event(("ab", "X"), awaits="next"), row("a"), "The organiser begins the next round."),
    (event(form="arena", ends_at=9), row("a"), "You play again as soon as somebody is free."),
    *(
        (event(form="knockout", bracket=BRACKET), row(name), words)
        for name, words in {
            "a": "Your next opponent is the winner of C \u2013 D.",
            "b": "You are out.",
            "c": "",  # another game of the tie
            "f": "Your next opponent: G.",
            "z": "You are out.",
        }.items()
    ),
]


def test_what_is_waited_for(tmp_path: Path) -> None:
    told = run(NEXT, {"texts": TEXTS["en"], "asked": [case[:2] for case in CASES]}, tmp_path)
    assert told == [words for _, _, words in CASES]
