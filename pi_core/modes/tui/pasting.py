"""What comes from the clipboard by a key: an image goes with the prompt, a text into it.

Touches: the clipboard, the screen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from hookspecs.ui import Severity

if TYPE_CHECKING:
    from pi_core.modes.tui.editor.prompt_editor import PromptEditor
    from pi_pkg import Settings


async def paste_clipboard(
    settings: Settings,
    editor: PromptEditor,
    environ: Mapping[str, str],
    tell: Callable[[str, Severity], None],
) -> None:
    """Read the clipboard and take over what it has; where that is nothing, say why."""
    # Most people never paste an image.
    from pi_core.modes.tui.clipboard import NO_TOOL, read_clipboard
    from pi_core.tools.images import UnfitImageError, fitted, image_settings, image_type

    pasted = await read_clipboard(environ)
    mime_type = image_type(pasted.image)
    how = image_settings(settings.effective)
    if not pasted.found_tool:
        tell(NO_TOOL, "warning")
    elif mime_type is None:
        editor.paste_text(pasted.text)
        if not pasted.text:
            tell("The clipboard has no image and no text.", "info")
    elif how.blocked:
        tell("Images are switched off in the settings: images.block-images.", "warning")
    else:
        try:
            picture = await asyncio.to_thread(fitted, pasted.image, mime_type, resize=how.resize)
        except UnfitImageError as error:
            tell(f"The image {error}.", "warning")
            return
        editor.attach(picture.content())
