"""Every setting does something, or the documentation says that it does nothing yet."""

from __future__ import annotations

import re

import pytest

from pi_pkg.settings.keys import KEYS
from tests.architecture.sources import ROOT, modules

READERS = {
    "extensions": "pi_pkg/settings/layer.py",
    "skills": "pi_pkg/settings/layer.py",
    "prompts": "pi_pkg/settings/layer.py",
    "themes": "pi_pkg/settings/layer.py",
    "default-project-trust": "pi_pkg/trust/gate.py",
    "default-tools": "pi_core/bootstrap.py",
    "steering-mode": "pi_core/session/controls.py",
    "follow-up-mode": "pi_core/session/controls.py",
    "enable-skill-commands": "pi_core/bootstrap.py",
    "session-dir": "pi_core/bootstrap.py",
    "shell-path": "pi_core/bootstrap.py",
    "shell-command-prefix": "pi_core/bootstrap.py",
    "model.default-provider": "pi_core/session/model_selection.py",
    "model.default-model": "pi_core/session/model_selection.py",
    "model.default-thinking-level": "pi_core/session/model_selection.py",
    "model.enabled-models": "pi_core/session/model_selection.py",
    "compaction.enabled": "pi_core/compaction/tokens.py",
    "compaction.reserve-tokens": "pi_core/compaction/tokens.py",
    "compaction.keep-recent-tokens": "pi_core/compaction/tokens.py",
    "branch-summary.reserve-tokens": "pi_core/session/navigating.py",
    "branch-summary.skip-prompt": "pi_core/modes/tui/builtin/replacing.py",
    "retry.enabled": "pi_core/providers/retrying.py",
    "retry.max-retries": "pi_core/providers/retrying.py",
    "retry.base-delay-ms": "pi_core/providers/retrying.py",
    "retry.provider.max-retry-delay-ms": "pi_core/providers/retrying.py",
    "images.auto-resize": "pi_core/tools/images.py",
    "images.block-images": "pi_core/session/hooks.py",
    "install.backend": "pi_pkg/builder.py",
    "install.index-url": "pi_pkg/install/index_config.py",
    "install.extra-index-urls": "pi_pkg/install/index_config.py",
    "install.find-links": "pi_pkg/install/index_config.py",
    "install.build": "pi_pkg/builder.py",
    "install.keep-generations": "pi_pkg/access.py",
    "budgets.handler-s": "pi_core/extensions/budgets.py",
    "budgets.shutdown-s": "pi_core/extensions/budgets.py",
    "budgets.warn-s": "pi_core/extensions/budgets.py",
    "budgets.block-s": "pi_core/extensions/budgets.py",
    "clashes.prefer": "pi_core/extensions/clashes.py",
    "clashes.alias": "pi_core/extensions/clashes.py",
    "clashes.hide": "pi_core/extensions/clashes.py",
    "ui.theme": "pi_core/modes/tui/attached.py",
    "ui.quiet-startup": "pi_core/modes/tui/attached.py",
    "ui.hide-thinking": "pi_core/modes/tui/attached.py",
    "ui.dialog-limit-s": "pi_core/modes/rpc/server.py",
    "keys": "pi_core/resources/loader.py",
}
"""Key → the file that reads it. What is missing here has no effect, and docs/settings.md says so."""
NO_EFFECT = "no effect in this version"


def rows() -> dict[str, str]:
    """Key → the rest of its line in docs/settings.md."""
    text = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| `([a-z.-]+)` \|(.*)\|$", text, re.MULTILINE)
    return dict(found)


def test_every_setting_is_documented_once() -> None:
    """The tables of docs/settings.md have exactly the keys that there are."""
    assert {key.path for key in KEYS} | {"packages"} == set(rows())


@pytest.mark.parametrize("path", READERS)
def test_a_setting_is_read_where_it_is_said_to_be(path: str) -> None:
    """The file names the key, or has the field that it fills."""
    name, text = path.split(".")[-1], (ROOT / READERS[path]).read_text(encoding="utf-8")
    field = rf"^    {name.replace('-', '_')}: |RESOURCE_TYPES"
    assert f'"{name}"' in text or re.search(field, text, re.MULTILINE)


def test_settings_without_a_reader_say_so() -> None:
    """A key that nobody reads is documented as one; a key that is read is not."""
    silent = {path for path, text in rows().items() if NO_EFFECT in text}
    assert {key.path for key in KEYS} - set(READERS) == silent


def test_what_is_said_to_have_no_effect_has_none() -> None:
    """No code names such a key, so that the page is corrected with the first reader."""
    read = {path.split(".")[-1] for path in READERS}
    silent = {key.path.split(".")[-1] for key in KEYS if key.path not in READERS} - read
    sources = [module for module in modules() if not module.name.startswith("pi_pkg.settings.")]
    assert not {(name, module.name) for name in silent for module in sources if f'"{name}"' in module.text}
