"""`pi auth`: where the key of each provider comes from, and how to store one or to forget it.

No key is ever shown. Extensions are loaded, because they bring providers and logins.

Touches: standard input, standard output, standard error, `auth.json`, process signals.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final, TypeAlias

from hookspecs.values import dataclass
from pi_core.bootstrap import Prepared, prepare
from pi_core.cli.args import Args
from pi_core.cli.auth_status import observed, status_lines
from pi_core.cli.login import key_from, log_in_here
from pi_core.cli.requests import run_request
from pi_core.errors import AgentError, LoginError, UsageError
from pi_core.modes.base import Output, Stopped, Stopper, finding_line, protected_stdout, run_to_the_end, say
from pi_core.providers.auth_file import AuthStore, forget, keep_key
from pi_core.providers.models import Provider
from pi_core.providers.registry import ModelRegistry
from pi_pkg import Diagnostic, Locations, PackageError

EXAMPLES: Final = """\
examples:
  pi auth                                where each key comes from
  pi auth login anthropic                asks for the key, without showing it
  pass show openai | pi auth login openai --key-stdin
  pi auth logout openai
A stored key may also say where the key is: $NAME is a variable, !COMMAND what a command prints.
"""
Found: TypeAlias = list[dict[str, Any]]


@dataclass(slots=True)
class Call:
    """One run of the command. `told` are findings, `lines` what was observed, for a person."""

    given: argparse.Namespace
    registry: ModelRegistry
    store: AuthStore
    told: list[Diagnostic]
    lines: list[str] = field(default_factory=list)


def run(words: Sequence[str], locations: Locations, environ: Mapping[str, str]) -> int:
    """Run the command; returns the exit code: 1 for what failed or was refused, 2 for misuse."""
    try:
        given = _parser().parse_args(words)
    except SystemExit as left:  # argparse has said what is wrong, or shown its help
        return int(left.code or 0)
    with protected_stdout() as output:
        return run_to_the_end(_supervised(given, locations, environ, output))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pi auth",
        description="See where the key of each provider comes from; store one, or forget it.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "verb", nargs="?", choices=tuple(VERBS), default="status", help="what to do, status by default"
    )
    parser.add_argument("provider", nargs="?", metavar="PROVIDER", help="whose key")
    parser.add_argument("--key-stdin", action="store_true", help="read the key from standard input")
    parser.add_argument("--key", action="store_true", help="ask for a key, even where one can log in")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("-e", "--extension", action="append", default=[], metavar="SOURCE", help="load this")
    parser.add_argument("-ne", "--no-extensions", action="store_true", help="load no extension but -e")
    parser.add_argument("-a", "--approve", action="store_true", default=None, help="trust this project")
    parser.add_argument("-na", "--no-approve", dest="approve", action="store_false", help="do not trust it")
    return parser


async def _supervised(
    given: argparse.Namespace, locations: Locations, environ: Mapping[str, str], output: Output
) -> int:
    stopper = Stopper(asyncio.get_running_loop())
    output.on_closed = lambda: stopper.stop(0)
    args = Args(
        no_session=True,
        extensions=tuple(given.extension),
        no_extensions=given.no_extensions,
        approve=given.approve,
    )
    with stopper.signals():
        try:
            _refuse_misuse(given)
            prepared = await stopper.run(prepare(run_request(args, locations, environ, "print")))
            try:
                return await stopper.run(_carry_out(given, prepared, output))
            finally:
                await prepared.close()
        except Stopped as stopped:
            return stopped.code
        except (AgentError, PackageError) as error:
            return _complain(error, given, output)


def _refuse_misuse(given: argparse.Namespace) -> None:
    """Raise UsageError if the words make no sense together."""
    if (given.verb == "status") == (given.provider is not None):
        needs = "takes no provider" if given.provider else "needs a provider: pi auth lists them"
        raise UsageError([f"pi auth {given.verb} {needs}"], hint="See `pi auth --help`.")
    if given.verb != "login" and (given.key_stdin or given.key):
        raise UsageError([f"pi auth {given.verb} takes no key"], hint="See `pi auth --help`.")


async def _carry_out(given: argparse.Namespace, prepared: Prepared, output: Output) -> int:
    registry, problems = prepared.models()
    store = AuthStore(prepared.request.locations.auth_file)
    call = Call(given, registry, store, [*prepared.resources.diagnostics, *problems])
    found = await VERBS[given.verb](call)
    if given.json:
        output.write_document(_document(given, found, call.told))
        return 0
    for finding in call.told:
        say(finding_line(finding))
    output.show("".join(f"{line}\n" for line in call.lines))
    return 0


def _complain(error: AgentError | PackageError, given: argparse.Namespace, output: Output) -> int:
    """Say what is wrong; 2 for a wrong command line, 1 for everything else."""
    if given.json:
        finding = Diagnostic("error", "auth-failed", "auth", error.message, hint=error.hint)
        output.write_document(_document(given, [], [finding], ok=False))
    else:
        say(f"pi: {error}")
    return 2 if isinstance(error, UsageError) else 1


def _document(given: argparse.Namespace, found: Found, told: Sequence[Diagnostic], *, ok: bool = True) -> str:
    document = {
        "command": f"auth {given.verb}",
        "ok": ok,
        "observed": found,
        "diagnostics": [finding.to_json() for finding in told],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


async def _status(call: Call) -> Found:
    found = observed(call.registry)
    call.lines += status_lines(found)
    return found


async def _login(call: Call) -> Found:
    provider = _known(call)
    if provider.oauth is not None and not (call.given.key_stdin or call.given.key):
        await log_in_here(provider, call.store)
        call.lines.append(f"Logged in at {provider.name}; {call.store.path} keeps the login.")
    else:
        key = await key_from(provider, stdin=call.given.key_stdin)
        await keep_key(call.store, provider.name, key)
        call.lines.append(f"Stored the key of {provider.name} in {call.store.path}.")
    return _now(call, provider.name)


async def _logout(call: Call) -> Found:
    name = call.given.provider
    if not await forget(call.store, name):
        raise LoginError(name, f"nothing is stored for it in {call.store.path}")
    call.lines.append(f"Took what was stored for {name} out of {call.store.path}.")
    found = _now(call, name)
    for item in found:
        if item["usable"] and item["source"] not in {"none", "not-needed"}:
            call.lines.append(f"It still has a key from {item['detail'] or 'its configuration'}.")
    return found


def _now(call: Call, name: str) -> Found:
    """How the provider stands after the change."""
    call.registry.credentials.read_again()
    return [item for item in observed(call.registry) if item["provider"] == name]


def _known(call: Call) -> Provider:
    """The provider that is named. Raises: LoginError if there is none of that name."""
    name = call.given.provider
    known = call.registry.providers()
    provider = next((item for item in known if item.name.lower() == name.lower()), None)
    if provider is None:
        names = ", ".join(item.name for item in known if item.needs_key)
        raise LoginError(name, "there is no such provider", hint=f"Known: {names}.")
    return provider


VERBS: Final[Mapping[str, Callable[[Call], Awaitable[Found]]]] = {
    "status": _status,
    "login": _login,
    "logout": _logout,
}
