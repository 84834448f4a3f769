import resource

import pytest

from ttt_server.transport.files import room_for

Limits = tuple[int, int]


class System:
    """A system with these limits."""

    def __init__(self, soft: int, hard: int) -> None:
        self.limits = (soft, hard)

    def getrlimit(self, _: int) -> Limits:
        return self.limits

    def setrlimit(self, _: int, limits: Limits) -> None:
        assert limits[0] <= limits[1] or limits[1] == resource.RLIM_INFINITY
        self.limits = limits


@pytest.fixture
def of(monkeypatch: pytest.MonkeyPatch) -> type[System]:
    class Patched(System):
        def __init__(self, soft: int, hard: int) -> None:
            super().__init__(soft, hard)
            monkeypatch.setattr(resource, "getrlimit", self.getrlimit)
            monkeypatch.setattr(resource, "setrlimit", self.setrlimit)

    return Patched


@pytest.mark.parametrize(
    ("soft", "hard", "connections", "after"),
    [
        (20_000, 20_000, 10_000, 20_000),
        (1024, 20_000, 10_000, 10_064),
        (1024, resource.RLIM_INFINITY, 10_000, 10_064),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, 10_000, resource.RLIM_INFINITY),
        (1024, 4096, 4032, 4096),
        (1024, 4096, 4096 - 64, 4096),
        (1024, 1024, 960, 1024),
        (64, 64, 32, 64),
    ],
)
def test_as_many_as_there_may_be_files(
    of: type[System], soft: int, hard: int, connections: int, after: int
) -> None:
    system = of(soft, hard)
    assert room_for(10_000) == connections
    assert system.limits == (after, hard)


def test_few_connections_need_no_more_files(of: type[System]) -> None:
    system = of(256, 4096)
    assert room_for(100) == 100
    assert system.limits == (256, 4096)
