import json
import math
import re
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.server.hubs import AI_IN_O, Hubs, TestMember, join_room, spectate, two_players
from tests.server.limits.test_connections import LIMITS
from ttt_protocol.codes import RefusalCode
from ttt_server.ai.runner import AiFailed, StrategyRunner
from ttt_server.cli.top import figures
from ttt_server.cli.top.figures import Scrape
from ttt_server.config.options import Config
from ttt_server.limits.connections import ConnectionTable
from ttt_server.metrics import Metrics
from ttt_server.rooms.hub import Hub
from ttt_server.telemetry.counters import Counters, LoopLag

ROOT = Path(__file__).parents[2]
CATALOGUE = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
ROW = r"^\| `(ttt_\w+)` \| (\w+) \|"


class Server:
    """The parts that are read, and what is read of them."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.runner: StrategyRunner = hub.joining.runner
        self.connections: ConnectionTable[object] = ConnectionTable(9, LIMITS, clock=lambda: 0)
        self.counters = Counters()
        self.lag = LoopLag()
        parts = self.connections, self.counters, self.runner, self.lag
        self.metrics = Metrics(hub, *parts, Config(keep_games=7).kept)

    def __getitem__(self, series: str) -> float:
        """The value of a line of the text, such as `ttt_rooms{status="playing"}`."""
        text = self.metrics.text().decode()
        found = re.search(rf"^{re.escape(series)} (\S+)$", text, re.MULTILINE)
        assert found, f"{series} is not in {text}"
        return float(found[1])


@pytest.fixture
def server(hub: Hub) -> Server:
    return Server(hub)


async def test_the_catalogue_is_what_there_is(server: Server) -> None:
    families = text_string_to_metric_families(server.metrics.text().decode())
    told = {}
    for family in families:
        if family.name.startswith("ttt_"):
            counter = "_total" * (family.type == "counter")
            told[family.name.removesuffix("_total") + counter] = family.type
    rows = re.findall(ROW, CATALOGUE, re.MULTILINE)
    assert told == dict(rows)


async def test_the_dashboard_and_the_alerts_ask_for_metrics_that_there_are(server: Server) -> None:
    there = {
        line.split("{")[0].split(" ")[0] for line in server.metrics.text().decode().split("\n")
    }
    failures = {"ttt_ai_failures_total"}  # there is a series for each strategy that failed
    dashboard = json.loads((ROOT / "deploy" / "grafana.json").read_text(encoding="utf-8"))
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked += re.findall(
        r"^\| `([^`]+)`.*\| [a-z]", CATALOGUE.partition("## Alerts")[2], re.MULTILINE
    )
    names = set(re.findall(r"\b(?:ttt|process)_\w+", " ".join(asked)))
    assert names - there - failures == set()
    shown = {name.removesuffix("_bucket") for name in names}
    told = {row for row, _ in re.findall(ROW, CATALOGUE, re.MULTILINE)}
    assert told <= shown, "the dashboard shows each metric of the catalogue"


async def test_top_reads_metrics_that_there_are(server: Server) -> None:
    reading = Scrape.parse(server.metrics.text().decode(), at=0)
    families = {name.removesuffix("_bucket") for name in reading.values}
    read = {name for name, _, _ in figures.HISTOGRAMS.values()}
    read |= {*figures.GAUGES.values(), *figures.COUNTERS.values()}
    read |= {figures.ROOMS, figures.REFUSALS, figures.HEALTHY, figures.BUILD, figures.KEPT}
    assert read <= families


async def test_how_long_things_are_kept(server: Server) -> None:
    assert server['ttt_retention{what="games"}'] == 7
    assert server['ttt_retention{what="unplayed"}'] == 86_400
    assert server['ttt_retention{what="rooms"}'] == math.inf


async def test_rooms_people_and_moves(server: Server, hub: Hub) -> None:
    assert server['ttt_rooms{status="playing"}'] == 0
    await two_players(hub, 4, 0)
    await join_room(hub, room="lair")
    await spectate(hub)
    assert server['ttt_rooms{status="playing"}'] == 1
    assert server['ttt_rooms{status="waiting"}'] == 1
    assert server['ttt_rooms{status="finished"}'] == 0
    assert server["ttt_spectators"] == 1
    assert server["ttt_moves_total"] == 2
    assert server["ttt_commit_seconds_count"] == 5  # two rooms are made, a seat, two moves
    assert server["ttt_store_healthy"] == 1
    hub.log.is_healthy = False
    assert server["ttt_store_healthy"] == 0


async def test_an_ai(server: Server, hub: Hub) -> None:
    ada: TestMember = await join_room(hub, settings=AI_IN_O)
    await ada.plays(4)
    await ada.ear.learns("played", 2)
    assert server["ttt_ai_think_seconds_count"] == 1
    assert "ttt_ai_failures_total{" not in server.metrics.text().decode()


async def test_an_ai_that_fails(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def consult(*_: object) -> None:
        raise AiFailed("zap failed")

    monkeypatch.setattr(StrategyRunner, "_consult", consult)
    monkeypatch.setattr(StrategyRunner, "answers_at_once", lambda *_: False)
    ada = await join_room(server.hub, settings=AI_IN_O)
    await ada.plays(4)
    await ada.ear.learns("ended")
    assert server['ttt_ai_failures_total{strategy="random"}'] == 1


async def test_refusals_by_code(server: Server) -> None:
    for code in RefusalCode:
        assert server[f'ttt_refusals_total{{code="{code.value}"}}'] == 0
    server.counters.refusals[RefusalCode.CELL_TAKEN] += 2
    assert server['ttt_refusals_total{code="cell_taken"}'] == 2


async def test_a_name_of_a_room_or_a_player_is_nowhere(server: Server, hub: Hub) -> None:
    await two_players(hub, 4, room="cellar")
    text = server.metrics.text().decode()
    assert "cellar" not in text
    assert "ada" not in text


async def test_one_server_knows_nothing_of_another(server: Server, hubs: Hubs) -> None:
    await two_players(server.hub, 4)
    assert Server(hubs.open())["ttt_moves_total"] == 0
