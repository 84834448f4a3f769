"""The modules of the web page, as their import and export statements describe them."""

import posixpath
import re
from pathlib import Path

import ttt_server

JS = Path(ttt_server.__file__).parent / "web" / "js"
MODULES = {
    f"js/{path.relative_to(JS).as_posix()}": path.read_text() for path in sorted(JS.rglob("*.js"))
}
"""The source of each module, by its path in `ttt_server/web`."""

IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]*)";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?:async )?(?:class|const|function) (\w+)", re.MULTILINE)


def imports_of(module: str) -> dict[str, set[str]]:
    """The names that a module imports, by the module that it imports them from."""
    folder = posixpath.dirname(module)
    return {
        posixpath.normpath(posixpath.join(folder, address)): set(re.findall(r"\w+", names))
        for names, address in IMPORT.findall(MODULES[module])
    }


def exports_of(module: str) -> set[str]:
    return set(EXPORT.findall(MODULES[module]))


def needed_by(module: str) -> set[str]:
    """The modules that a module imports, those that they import, and so on."""
    needed: set[str] = set()
    unread = [*imports_of(module)]
    while unread:
        if (each := unread.pop()) not in needed:
            needed.add(each)
            unread += imports_of(each)
    return needed


def code_of(module: str) -> str:
    """The source without its comments."""
    return re.sub(r"/\*[\s\S]*?\*/|//.*", "", MODULES[module])
