"""The settings files of both scopes, read as layers and merged.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pi_pkg.atomic import Writer, replace_file
from pi_pkg.errors import SettingsError
from pi_pkg.locations import Locations
from pi_pkg.settings.file import TomlFile
from pi_pkg.settings.layer import layer_of, unreadable_layer
from pi_pkg.settings.merge import settings_of
from pi_pkg.settings.model import Layer, LayerScope, Settings
from pi_pkg.values import dataclass

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


@dataclass(frozen=True, slots=True)
class SettingsStore:
    """The settings file of one scope."""

    file: TomlFile
    scope: LayerScope

    def read(self) -> Layer:
        """What the file says now; a missing file says nothing, an unreadable one is a layer with an error."""
        path = str(self.file.path)
        try:
            values, text = self.file.document()
            return layer_of(values, path=path, scope=self.scope, text=text)
        except SettingsError as error:
            return unreadable_layer(error, path=path, scope=self.scope)

    def edit(self, change: Callable[[TOMLDocument], object]) -> bool:
        """Change the file as `TomlFile.edit` does; the functions of `pi_pkg.settings.edit` are changes.

        Raises:
            SettingsError: the file cannot be read, locked or written; its bytes are as before.
        """
        return self.file.edit(change)


def settings_store(locations: Locations, scope: LayerScope, *, write: Writer = replace_file) -> SettingsStore:
    """The store of a scope. A project's lock stands in the user's folder: a project gets no litter."""
    if scope == "user":
        return SettingsStore(TomlFile(locations.user_settings, write=write), scope)
    lock = locations.project_data_dir / "settings.lock"
    return SettingsStore(TomlFile(locations.project_settings, lock, write=write), scope)


def read_settings(locations: Locations, *, trusted: bool) -> Settings:
    """The layers in force, merged. Unless there is a project and it is trusted, its file is not opened."""
    user = SettingsStore(TomlFile(locations.user_settings), "user").read()
    if not trusted or not locations.has_project:
        return settings_of(user, None)
    return settings_of(user, SettingsStore(TomlFile(locations.project_settings), "project").read())


def given_settings(locations: Locations, values: Mapping[str, Any]) -> Settings:
    """Settings that a program hands over in place of the files, keys in kebab-case as in those.

    Relative paths in them are relative to the folder of the user's file.
    """
    return settings_of(layer_of(values, path=str(locations.user_settings), scope="user"), None)


def save_setting(locations: Locations, keys: Sequence[str], value: Any) -> bool:
    """Set the value at a path of keys in the user's settings; False if it stood there already.

    Raises:
        SettingsError: the file cannot be read, locked or written; its bytes are as before.
    """
    from pi_pkg.settings.edit import set_value  # start-up time: readers change nothing

    return settings_store(locations, "user").edit(lambda document: set_value(document, keys, value))
