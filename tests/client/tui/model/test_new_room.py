import pytest

from ttt_client.model.options import parse_ai, parse_rules, settings_of
from ttt_client.tui.model.room_list import BAD_NAME, NewRoom
from ttt_protocol.state import ClockSetting, GivenSettings, Rules, SeatSettings


def clock(initial_s: int, increment_s: int) -> GivenSettings | None:
    return settings_of(clock=ClockSetting(initial_s=initial_s, increment_s=increment_s))


def filled(*keys: str, form: NewRoom | None = None) -> NewRoom:
    form = form or NewRoom()
    for key in keys:
        form = form.press(key)
    return form


FOUR = Rules(columns=7, rows=6, in_a_row=4, gravity=True)


@pytest.mark.parametrize(
    ("keys", "settings"),
    [
        ([], None),
        (["down", "right", "right", "right"], settings_of(rules=FOUR)),
        (["tab", *"7x6x4g"], settings_of(rules=FOUR)),
        (["down", "right", "left"], None),
        (["down", "left"], settings_of(rules=parse_rules("connect6"))),
        (["down", "x", "right"], None),
        (
            ["down", "down", "down", "right", "right"],
            clock(60, 2),
        ),
        (
            ["down", "down", "down", *"2+1"],
            clock(120, 1),
        ),
        (["down", "down", "down", *["left"] * 2], settings_of(days=3)),
        (["down", "down", "down", *"14d"], settings_of(days=14)),
        (["down", "down", "down", "c-u"], None),
        (["up", " "], settings_of(public=False)),
        (["up", "y"], settings_of(public=False)),
        (["up", "y", "n"], None),
        (["field:private", "right", "f5"], settings_of(public=False)),
    ],
)
def test_a_room_has_what_differs_from_a_usual_one(
    keys: list[str], settings: GivenSettings | None
) -> None:
    assert filled("d", "e", "n", *keys).made() == ("den", settings)


def test_the_strength_of_an_opponent_is_for_the_board() -> None:
    form = filled("d", "down", *"7x6x4g", "down", "right", "right")
    assert (form.opponent, form.field) == ("fair", "opponent")
    seats = SeatSettings(O=parse_ai("fair", FOUR))
    assert form.made() == ("d", settings_of(rules=FOUR, seats=seats))
    other = filled("c-u", *"rules", form=form)
    assert other.made() == (
        "d",
        settings_of(rules=FOUR, seats=SeatSettings(O=parse_ai("rules", FOUR))),
    )


@pytest.mark.parametrize(
    ("form", "field", "words"),
    [
        (NewRoom("?"), "name", BAD_NAME),
        (NewRoom("den", board="33"), "board", "a board is"),
        (NewRoom("den", opponent="minimax:99"), "opponent", "a level is"),
        (NewRoom("den", clock="soon"), "clock", "a clock is"),
        (NewRoom("den", clock="15 days"), "clock", "a clock is"),
    ],
)
def test_a_fault_leads_to_its_field(form: NewRoom, field: str, words: str) -> None:
    made = form.made()
    assert isinstance(made, NewRoom)
    assert (made.field, words in made.fault) == (field, True)
    assert made.press("down").fault == ""


def test_a_name_is_typed_and_its_arrows_do_nothing() -> None:
    assert filled(*"My Ro", "left", "right", "backspace").name == "my-r"
    fields = [filled(*["down"] * steps).field for steps in range(6)]
    assert fields == ["name", "board", "opponent", "clock", "private", "name"]


def test_a_rated_game_is_offered_to_those_who_keep_a_name() -> None:
    form = filled("d", "field:clock", *"5+3", "down", "y", form=NewRoom(keeps_name=True))
    assert (form.field, form.rated) == ("rated", "yes")
    assert filled("down", form=form).field == "private"
    made = settings_of(clock=ClockSetting(initial_s=300, increment_s=3), rated=True)
    assert form.made() == ("d", made)
    assert filled("right", form=form).made() == ("d", clock(300, 3))


@pytest.mark.parametrize(
    ("form", "field", "words"),
    [
        (NewRoom("den", clock="7 days", opponent="fair", rated="yes"), "opponent", "leave out"),
        (NewRoom("den", rated="yes"), "clock", "needs a clock, or days"),
    ],
)
def test_what_a_rated_game_may_not_have(form: NewRoom, field: str, words: str) -> None:
    made = form.made()
    assert isinstance(made, NewRoom)
    assert (made.field, words in made.fault) == (field, True)
