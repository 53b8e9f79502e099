"""`pi --export IN [OUT]`: a session file as a page, without a session.

Touches: files, standard output.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pi_core.cli.args import Args
from pi_core.errors import UsageError
from pi_core.modes.base import text_for
from pi_pkg import Locations


def run_export(args: Args, locations: Locations) -> int:
    """Write the page and say where it is. The one word beside the option is where it goes.

    Raises: UsageError, SessionFileError, CannotWriteError.
    """
    from pi_core.export.write import export_file  # only this command reads Markdown

    if len(args.messages) > 1 or args.files:
        raise UsageError(["--export takes a session file and, if you like, the page to write: IN [OUT]"])
    asked = Path(args.export or "").expanduser()
    page = export_file(locations.project_dir / asked, *args.messages or (None,), cwd=locations.project_dir)
    print(text_for(sys.stdout, f"Exported to: {page}"))
    return 0
