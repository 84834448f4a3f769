"""The layers of the web page's modules: pages, then view, then model and net."""

import re

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


def test_a_module_imports_only_what_its_layer_may() -> None:
    layers = {each: {layer_of(imported) for imported in imports_of(each)} for each in MODULES}
    assert [each for each in MODULES if not layers[each] <= MAY_IMPORT[layer_of(each)]] == []


def test_a_folder_of_a_page_serves_that_page() -> None:
    for module in MODULES:
        for imported in imports_of(module):
            if imported.count("/") == 3:
                page = imported.split("/")[2]
                pages = {"wall", page} if page == "event" else {page}  # the wall is of an event
                assert module.removesuffix(".js").split("/")[2] in pages, (module, imported)


def test_every_import_is_one_that_the_layers_are_checked_by() -> None:
    for module in MODULES:
        code = LATER.sub("", IMPORT.sub("", code_of(module)))
        assert not re.search(r"\bimport\b(?!\.meta\b)|\bexport\b.*\bfrom\b", code), module


def test_a_module_imports_only_names_that_are_exported_and_no_name_is_exported_for_nobody() -> None:
    imported = {module: set[str]() for module in MODULES}
    for module in MODULES:
        for other, names in imports_of(module).items():
            imported[other] |= names
    assert imported == {module: exports_of(module) for module in MODULES}


def test_no_module_needs_itself() -> None:
    assert [each for each in MODULES if each in needed_by(each)] == []


def test_model_and_net_know_no_dom() -> None:
    for module in MODULES:
        if layer_of(module) in {"model", "net"}:
            assert not re.findall(rf"\b(?:{DOM})\b", code_of(module)), module


def test_the_model_is_pure() -> None:
    for module in MODULES:
        if layer_of(module) == "model":
            assert not re.findall(rf"\b(?:{BROWSER})\b", code_of(module)), module
