"""The texts of notices, in the languages of the page. Pure."""

from collections.abc import Mapping
from typing import Final

from ttt_protocol.notices import Notice

DEFAULT: Final = "en"

_TEXTS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "turn": "It is your turn against {opponent}.",
        "challenge": "{opponent} would like to play with you.",
        "round": "Round {round} of {title} has begun.",
        "end.won": "You won against {opponent}.",
        "end.lost": "You lost against {opponent}.",
        "end.drawn": "Your game against {opponent} is a draw.",
        "end": "Your game against {opponent} is over.",
    },
    "de": {
        "turn": "Du bist am Zug gegen {opponent}.",
        "challenge": "{opponent} möchte mit dir spielen.",
        "round": "Runde {round} von {title} hat begonnen.",
        "end.won": "Du hast gegen {opponent} gewonnen.",
        "end.lost": "Du hast gegen {opponent} verloren.",
        "end.drawn": "Dein Spiel gegen {opponent} ist remis.",
        "end": "Dein Spiel gegen {opponent} ist zu Ende.",
    },
    "fr": {
        "turn": "À vous de jouer contre {opponent}.",
        "challenge": "{opponent} aimerait jouer avec vous.",
        "round": "La ronde {round} de {title} a commencé.",
        "end.won": "Vous avez gagné contre {opponent}.",
        "end.lost": "Vous avez perdu contre {opponent}.",
        "end.drawn": "Votre partie contre {opponent} est nulle.",
        "end": "Votre partie contre {opponent} est terminée.",
    },
    "es": {
        "turn": "Es tu turno contra {opponent}.",
        "challenge": "{opponent} quiere jugar contigo.",
        "round": "Ha empezado la ronda {round} de {title}.",
        "end.won": "Has ganado contra {opponent}.",
        "end.lost": "Has perdido contra {opponent}.",
        "end.drawn": "Tu partida contra {opponent} ha acabado en tablas.",
        "end": "Tu partida contra {opponent} ha terminado.",
    },
}


def text_of(notice: Notice, language: str = DEFAULT) -> str:
    """Return what a notice says, in a language of the page or in English."""
    texts = _TEXTS.get(language, _TEXTS[DEFAULT])
    key = notice.kind if notice.result is None else f"{notice.kind}.{notice.result}"
    return texts[key].format(
        opponent=notice.opponent or "?",
        round=notice.round or "?",
        title=notice.title or notice.event or "?",
    )
