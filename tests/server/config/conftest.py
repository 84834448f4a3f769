import pytest

from ttt_server.config.options import Config


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Config.model_fields:
        monkeypatch.delenv(f"TTT_{name.upper()}", raising=False)
