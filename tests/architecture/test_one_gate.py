"""Files of a project are reached in few places, each behind the decision whether they may be read."""

from __future__ import annotations

import ast

from tests.architecture.sources import Module, modules

NAMES = {"project_settings", "project_config_dir", "project_lock", "AGENTS_DIR", "CONFIG_DIR_NAME"}
TEXTS = {".pi", ".agents"}
READERS = {
    "pi_pkg": "the face names the constant",
    "pi_pkg.locations": "says where they are",
    "pi_pkg.resources.conventions": "says what the folder is called",
    "pi_pkg.access": "looks whether there are settings, and asks the gate",
    "pi_pkg.declared": "what paths of the command line are relative to",
    "pi_pkg.settings.store": "reads them if it is told that they are trusted",
    "pi_pkg.resources.discover": "searches the folders of the layers in force",
    "pi_pkg.toggle.model": "names the file to be changed behind the gate",
    "pi_pkg.toggle.tokens": "what sources of the project are relative to",
    "pi_pkg.trust.gated": "looks what is there",
    "pi_pkg.trust.record": "knows what our own commands write",
    "pi_pkg.trust.surface": "takes their digest",
    "pi_core.extensions.standalone": "loads without a gate, as its caller says",
    "pi_core.resources.prompt_sources": "reads prompts of a trusted project",
    "pi_core.resources.watched": "watches the files of a run that read them",
}
"""Modules that may name a project's files, and what for."""


def names_project_files(module: Module) -> bool:
    for node in ast.walk(module.tree):
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name) if name in NAMES:
                return True
            case ast.Constant(value=str(text)) if text in TEXTS:
                return True
    return False


def test_project_files_are_reached_through_the_gate() -> None:
    """TRUST 69, 70: whoever newly reads files of a project is noticed, and says why here."""
    assert {module.name for module in modules() if names_project_files(module)} <= READERS.keys()
