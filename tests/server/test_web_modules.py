"""The layers of the web page's modules: pages, then view, then model and net."""

import re

import pytest

from tests.server.web_modules import (
    IMPORT,
    LATER,
    MODULES,
    code_of,
    exports_of,
    imports_of,
    needed_by,
)

MAY_IMPORT = {
    "pages": {"view", "model", "net"},
    "view": {"view", "model", "net"},
    "model": {"model"},
    "net": {"net"},
}
DOM = r"document|window|\w*Element\w*|querySelector\w*|innerHTML|textContent|append|classList"
BROWSER = (
    r"addEventListener|AudioContext|crypto|Date|fetch|history|localStorage|location|navigator"
    r"|performance|random|sessionStorage|setInterval|setTimeout|URL|WebSocket"
)
"""Names of clocks, chance and the outside world, which a pure module does without."""


def layer_of(module: str) -> str:
    js, layer, _ = module.split("/", 2)
    assert js == "js"
    return layer


def test_every_module_is_in_one_of_the_four_folders() -> None:
    assert {layer_of(each) for each in MODULES} == set(MAY_IMPORT)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_its_layer_may(module: str) -> None:
    layers = {layer_of(each) for each in imports_of(module)}
    assert layers <= MAY_IMPORT[layer_of(module)]


@pytest.mark.parametrize("module", [each for each in MODULES if each.count("/") == 3])
def test_a_folder_of_a_page_serves_that_page(module: str) -> None:
    page = module.split("/")[2]
    pages = {"wall", page} if page == "event" else {page}  # the wall is of an event
    for each in MODULES:
        if module in imports_of(each):
            assert each.removesuffix(".js").split("/")[2] in pages


@pytest.mark.parametrize("module", MODULES)
def test_every_import_is_one_that_the_layers_are_checked_by(module: str) -> None:
    code = LATER.sub("", IMPORT.sub("", code_of(module)))
    assert not re.search(r"\bimport\b(?!\.meta\b)|\bexport\b.*\bfrom\b", code)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_names_that_are_exported(module: str) -> None:
    for imported, names in imports_of(module).items():
        assert names <= exports_of(imported)


@pytest.mark.parametrize("module", MODULES)
def test_an_exported_name_is_imported_somewhere(module: str) -> None:
    imported = {name for each in MODULES for name in imports_of(each).get(module, ())}
    assert imported == exports_of(module)


@pytest.mark.parametrize("module", MODULES)
def test_no_module_needs_itself(module: str) -> None:
    assert module not in needed_by(module)


@pytest.mark.parametrize("module", [each for each in MODULES if layer_of(each) in {"model", "net"}])
def test_model_and_net_know_no_dom(module: str) -> None:
    assert not re.findall(rf"\b(?:{DOM})\b", code_of(module))


@pytest.mark.parametrize("module", [each for each in MODULES if layer_of(each) == "model"])
def test_the_model_is_pure(module: str) -> None:
    assert not re.findall(rf"\b(?:{BROWSER})\b", code_of(module))
