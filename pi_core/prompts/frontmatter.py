"""The metadata at the head of a Markdown file, and the text under it.

The head stands between two lines of three dashes and is YAML by its 1.2 rules:
only `true` and `false` are truth values, dates and `1_000` are text, and a key
given twice is a mistake.

Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from hookspecs.values import dataclass
from pi_core.errors import AgentError

_FENCE: Final = re.compile(r"(?:\A|\n)---[ \t]*(?:\n|\Z)")
_SCALARS: Final = (
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    ("int", r"^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", list("-+0123456789")),
    (
        "float",
        r"^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$",
        list("-+.0123456789"),
    ),
)


class FrontmatterError(AgentError):
    """A head that is no YAML. `found` is the parser's own sentence."""

    def __init__(self, found: str) -> None:
        super().__init__(f"the lines between --- are not valid YAML: {found}")
        self.found = found


@dataclass(frozen=True, slots=True)
class Document:
    """A file's metadata, empty without a head, and its body."""

    metadata: dict[str, Any]
    body: str

    def text(self, name: str) -> str | None:
        """The field of this name if it is a text that says something."""
        value = self.metadata.get(name)
        return value if isinstance(value, str) and value.strip() else None


def parse_document(text: str) -> Document:
    """The two parts of a file's text. A byte order mark is dropped, line endings become plain.

    The body of a file with a head is stripped of blanks at both ends; without one it is everything.
    Raises: FrontmatterError.
    """
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    head, body = _split(plain)
    if head is None:
        return Document({}, plain)
    return Document(_metadata(head), body.strip())


def _split(text: str) -> tuple[str | None, str]:
    opening = _FENCE.match(text)
    closing = _FENCE.search(text, opening.end() - 1) if opening else None
    if opening is None or closing is None:
        return None, text
    return text[opening.end() : closing.start() + 1], text[closing.end() :]


def _metadata(head: str) -> dict[str, Any]:
    import yaml  # start-up time: 15 ms, and most starts read no file with a head

    try:
        value = yaml.load(head, Loader=_loader())
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise FrontmatterError(" ".join(str(error).split())) from error
    if not isinstance(value, dict):
        return {}
    return {key: item for key, item in value.items() if isinstance(key, str)}


@lru_cache(maxsize=1)
def _loader() -> Any:
    """A safe loader with the scalars of YAML 1.2 that refuses a key given twice."""
    import yaml  # start-up time: as above

    class CoreLoader(yaml.SafeLoader):
        yaml_implicit_resolvers: Any = {}  # noqa: RUF012 - PyYAML's own way to give a class its own table

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            twice = next((key for key in keys if keys.count(key) > 1), None)
            if twice is not None:
                raise yaml.constructor.ConstructorError(
                    None, None, f"{twice!r} is given twice", node.start_mark
                )
            return super().construct_mapping(node, deep)

    for name, pattern, first in _SCALARS:
        CoreLoader.add_implicit_resolver(f"tag:yaml.org,2002:{name}", re.compile(pattern), first)
    # Numbers are only told apart from text; nobody reads their value.
    for name in ("int", "float"):
        CoreLoader.add_constructor(f"tag:yaml.org,2002:{name}", lambda _loader, _node: 0)
    return CoreLoader
