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
LATER = re.compile(r'^ *const \{([^}]*)\} = await import\("(\.[^"]*)"\);$', re.MULTILINE)
"""The import of a module that is loaded when it is needed."""
EXPORT = re.compile(r"^export (?:async )?(?:class|const|function) (\w+)", re.MULTILINE)


def imports_of(module: str) -> dict[str, set[str]]:
    """The names that a module imports, by the module that it imports them from."""
    return imports_at_once(module) | _imports(module, LATER)


def imports_at_once(module: str) -> dict[str, set[str]]:
    """The same, without the modules that are loaded when they are needed."""
    return _imports(module, IMPORT)


def _imports(module: str, statement: re.Pattern[str]) -> dict[str, set[str]]:
    folder = posixpath.dirname(module)
    return {
        posixpath.normpath(posixpath.join(folder, address)): set(re.findall(r"\w+", names))
        for names, address in statement.findall(MODULES[module])
    }


def exports_of(module: str) -> set[str]:
    return set(EXPORT.findall(MODULES[module]))


def needed_by(module: str) -> set[str]:
    """The modules that a module imports at once, those that they import, and so on."""
    needed: set[str] = set()
    unread = [*imports_at_once(module)]
    while unread:
        if (each := unread.pop()) not in needed:
            needed.add(each)
            unread += imports_at_once(each)
    return needed


def code_of(module: str) -> str:
    """The source without its comments."""
    return re.sub(r"/\*[\s\S]*?\*/|//.*", "", MODULES[module])
