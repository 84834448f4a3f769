"""The AI that offers itself to a player for whom no other has come: of fair strength on the board.

Source: the games of `ttt-server arena … -n 40 --seed 0 --rules …`, as the page's table of strengths
has them. A fair AI beats the weakest ones on its board, and loses to the strongest.
"""

from ttt_protocol.state import AiSetting, Rules

_SEARCH = AiSetting(strategy="search", level=0)
"""On large boards 20 ms are enough to beat `lines`; and it plays every board."""

_FAIR: dict[Rules, AiSetting] = {
    Rules(): AiSetting(strategy="minimax", level=5),
    Rules(columns=4, rows=4, in_a_row=4): AiSetting(strategy="lines"),
    Rules(columns=7, rows=6, in_a_row=4, gravity=True): AiSetting(strategy="search", level=4),
}


def fair_ai(rules: Rules) -> AiSetting:
    """Return an AI that plays on this board, neither at random nor perfectly."""
    return _FAIR.get(rules, _SEARCH)
