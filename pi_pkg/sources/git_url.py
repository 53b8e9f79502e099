"""The address of a git repository: URL, `user@host:path`, `host/path`, or a forge's shorthand.

Pure.
"""

from __future__ import annotations

import re
from typing import Final

from pi_pkg.errors import SourceError
from pi_pkg.sources.model import GitSource
from pi_pkg.sources.schemes import SCHEMES, SHORTHANDS
from pi_pkg.values import dataclass

GRAMMAR: Final = "git:HOST/ORG/REPO[@REF][#subdirectory=PATH]"

_URL: Final = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/]*)(?P<path>/.*)?", re.DOTALL
)
_SCP: Final = re.compile(r"(?P<user>[^@:/]+)@(?P<host>[^@:/]+):(?P<path>.*)", re.DOTALL)
_SHORTHAND: Final = re.compile(r"(?P<word>[a-z]+):(?P<path>[^:]*)", re.DOTALL)
_PLAIN: Final = re.compile(
    r"(?:(?P<user>[^@:/]+)@)?(?P<host>[^@:/]+)(?::(?P<port>\d+))?/(?P<path>.*)", re.DOTALL
)
_HOST: Final = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]")
_REF_UNFIT: Final = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|\.lock(?:/|$)|(?:^|/)\.")
_TREE: Final = re.compile(r"(?P<repo>[^/]+/[^/]+)/(?:-/)?tree/(?P<ref>.+)")


@dataclass(frozen=True, slots=True)
class _Parts:
    """An address taken apart: what stands before the path, the path, and what was asked of it."""

    prefix: str
    """Clone URL up to the path, its separator included."""
    host: str
    path: str
    query: str = ""
    """`?…` of a URL, kept for the clone."""


def parse_git(asked: str, address: str) -> GitSource:
    """The repository that an address names; `asked` is the whole source, for messages.

    Raises:
        SourceError: malformed, unsafe, or fewer than two path segments on a host.
    """
    place, fragment = _split_fragment(asked, address)
    parts, ref = _split_ref(asked, _take_apart(asked, place))
    subdirectory, fragment_ref = _read_fragment(asked, fragment)
    if ref and fragment_ref:
        raise SourceError(asked, f"it names two refs, {ref!r} and {fragment_ref!r}", f"Write {GRAMMAR}.")
    parts, ref = _split_tree(asked, parts, ref or fragment_ref)
    _check(asked, parts, ref)
    path = parts.path.rstrip("/")
    return GitSource(
        clone_url=f"{parts.prefix}{path}{parts.query}",
        host=_known_as(parts.host),
        path=path.removesuffix(".git").strip("/"),
        ref=ref,
        subdirectory=subdirectory,
        text=asked,
    )


def _take_apart(asked: str, place: str) -> _Parts:
    if match := _URL.fullmatch(place):
        return _url_parts(asked, match)
    if match := _SCP.fullmatch(place):
        return _Parts(f"{match['user']}@{match['host']}:", match["host"], match["path"])
    if (match := _SHORTHAND.fullmatch(place)) and match["word"] in SHORTHANDS:
        host = SHORTHANDS[match["word"]]
        return _Parts(f"https://{host}/", host, match["path"].lstrip("/"))
    if place.startswith(("/", "./", "../", "~")):
        hint = f"Write git:file://{place}." if place.startswith("/") else "Write git:file:///ABSOLUTE/PATH."
        raise SourceError(asked, "a git repository on this machine needs a file URL", hint)
    if match := _PLAIN.fullmatch(place):
        return _plain_parts(asked, match, place)
    raise _malformed(asked, "it names no repository")


def _url_parts(asked: str, match: re.Match[str]) -> _Parts:
    scheme = match["scheme"].lower()
    if scheme not in SCHEMES:
        raise _refused_scheme(asked, scheme)
    path, mark, query = (match["path"] or "").partition("?")
    if scheme == "file":
        if match["authority"] not in {"", "localhost"}:
            raise SourceError(asked, "a file URL names another machine", "Write git:file:///PATH.")
        return _Parts("file:///", "", path.lstrip("/"), mark + query)
    authority = match["authority"]
    host = re.sub(r":\d*$", "", authority.rpartition("@")[2])
    return _Parts(f"{scheme}://{authority}/", host, path[1:], mark + query)


def _plain_parts(asked: str, match: re.Match[str], place: str) -> _Parts:
    """`host/org/repo`, and `owner/repo` as the reference reads it: on github.com."""
    host, path = match["host"], match["path"]
    if "." in host or host == "localhost":
        user = f"{match['user']}@" if match["user"] else ""
        port = f":{match['port']}" if match["port"] else ""
        return _Parts(f"https://{user}{host}{port}/", host, path)
    repo = path.split("@")[0].strip("/")
    if match["user"] is None and match["port"] is None and repo and "/" not in repo:
        return _Parts("https://github.com/", "github.com", place)
    raise SourceError(
        asked,
        f"{host!r} is no host name (it has no dot)",
        f"Write {GRAMMAR}, or a URL such as https://{host}/{path}.",
    )


def _split_fragment(asked: str, address: str) -> tuple[str, str]:
    place, mark, fragment = address.partition("#")
    if mark and not fragment:
        raise _malformed(asked, "nothing follows the '#'")
    if "#" in fragment:
        raise _malformed(asked, "it holds two '#'")
    return place, fragment


def _read_fragment(asked: str, fragment: str) -> tuple[str | None, str | None]:
    """Subdirectory and ref of what follows the `#`: `subdirectory=PATH`, or another tool's `#REF`."""
    if not fragment:
        return None, None
    if "=" not in fragment:
        return None, fragment
    key, _, value = fragment.partition("=")
    if key != "subdirectory":
        raise _malformed(asked, f"{key!r} has no meaning after the '#'")
    segments = [segment for segment in value.split("/") if segment not in {"", "."}]
    if not segments or value.startswith("/") or _fault(value, blanks=True):
        raise _malformed(asked, f"the subdirectory {value!r} is no folder inside the repository")
    return "/".join(segments), None


def _split_ref(asked: str, parts: _Parts) -> tuple[_Parts, str | None]:
    path, mark, ref = parts.path.partition("@")
    if mark and not ref:
        raise _malformed(asked, "nothing follows the '@'")
    return _Parts(parts.prefix, parts.host, path, parts.query), ref or None


def _split_tree(asked: str, parts: _Parts, ref: str | None) -> tuple[_Parts, str | None]:
    """A page of a forge (`…/tree/REF`) names the repository and the ref."""
    match = _TREE.fullmatch(parts.path.rstrip("/"))
    if match is None or _known_as(parts.host) not in {"github.com", "gitlab.com"}:
        return parts, ref
    page = match["ref"]
    if ref or "/" in page:
        repository = f"git:{_known_as(parts.host)}/{match['repo']}"
        hint = f"Write {repository}@REF#subdirectory=PATH."
        raise SourceError(asked, "the address of a page does not say where its ref ends", hint)
    return _Parts(parts.prefix, parts.host, match["repo"], parts.query), page


def _check(asked: str, parts: _Parts, ref: str | None) -> None:
    if parts.host and _HOST.fullmatch(parts.host) is None:
        raise _malformed(asked, f"{parts.host!r} is no host name")
    if parts.prefix.rpartition("//")[2].startswith("-") or parts.path.startswith("-"):
        raise _malformed(asked, "a part that begins with '-' could be taken for an option")
    if fault := _fault(parts.prefix) or _fault(parts.path, blanks=not parts.host):
        raise _malformed(asked, fault)
    if "?" in parts.path:
        raise _malformed(asked, "a '?' has no meaning outside a URL")
    path = parts.path.rstrip("/").removesuffix(".git")
    segments = path.split("/")
    if "" in segments:
        raise _malformed(asked, "a segment of its path is empty" if path else "it names no repository")
    if parts.host and len(segments) < 2:
        raise _malformed(asked, f"{path!r} is one path segment, a repository on a host has two or more")
    if ref is not None:
        _check_ref(asked, ref)


def _check_ref(asked: str, ref: str) -> None:
    if ref.startswith("-"):
        raise _malformed(asked, f"the ref {ref!r} could be taken for an option")
    if _REF_UNFIT.search(ref) or ref.startswith("/") or ref.endswith(("/", ".")) or ref == "@":
        raise _malformed(asked, f"{ref!r} is no name of a branch, tag or commit")


def _fault(text: str, *, blanks: bool = False) -> str | None:
    """What makes a part of an address unsafe, raw or once decoded; None where nothing does."""
    decoded = _percent_decoded(text)
    if decoded is None:
        return f"{text!r} holds a broken % escape"
    for form in (text, decoded):
        if ".." in form.split("/"):
            return f"{text!r} leaves its place through a '..'"
        if "\\" in form:
            return f"{text!r} holds a backslash"
        if re.search(r"[\x00-\x1f\x7f]" if blanks else r"[\x00-\x20\x7f]", form):
            return f"{text!r} holds a blank or a control character"
    return None


def _percent_decoded(text: str) -> str | None:
    """The text with its escapes read as UTF-8; None where one is broken."""
    if re.search(r"%(?![0-9A-Fa-f]{2})", text):
        return None
    octets = re.sub(
        rb"%([0-9A-Fa-f]{2})", lambda found: bytes.fromhex(found[1].decode()), text.encode("utf-8", "replace")
    )
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _known_as(host: str) -> str:
    """The name a host is identified by."""
    return host.lower().removeprefix("www.") if host.lower() == "www.github.com" else host.lower()


def _malformed(asked: str, found: str) -> SourceError:
    return SourceError(asked, found, f"Write {GRAMMAR}.")


def _refused_scheme(asked: str, scheme: str) -> SourceError:
    plain = scheme.removeprefix("git+")
    rest = asked.removeprefix("git:").partition("://")[2]
    hint = f"Write git:{plain}://{rest}." if plain in SCHEMES else f"Write {GRAMMAR}, or an https or ssh URL."
    return SourceError(asked, f"git sources are not fetched over {scheme!r}", hint)
