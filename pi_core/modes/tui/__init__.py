"""The interactive mode, on Textual. This page maps its rooms.

    mode.py            the entry: takes the terminal, runs the application, gives the terminal back
    app.py             PiApp: owns the SessionRuntime; `open_dialog`, `tell`, `start`, `report`, `slots`,
                       `commands`, `keys`, `look`, `editor`, `footer`, `working`, `log_view`, `ui`
    actions.py         what keys of the conversation do; bound in keys.py, by pi's action ids
    screen.py          ChatScreen: header slot · log · search · working · above · editor · below · footer
    desk.py            the port through which commands and dialogs see the application
    conversation.py    what becomes of what is sent: command, `!shell`, prompt, steer, follow-up; stop
    commands.py        registry of the program's own slash commands: `app.commands.add(BuiltinCommand(…))`
    builtin/           these commands, by what they are about; they work on a `Here` (here.py)
    furnish.py         brings commands, keys and proposals into an application, behind its first picture
    starting.py        what is asked at the start: trust, which conversation, what is missing
    signals.py         who hears of keys before everything else, of typing, and of settings that are read
    keys.py            action id → keys, Textual's names for them, the person's overrides
    keybindings.py     the person's file of keys; shortcuts.py: the keys of extensions
    feed.py, answer.py from session events, or a history, to blocks
    renderers.py       renderers of extensions, guarded; the port is blocks/rendering.py
    slots.py           keyed places for extensions: `slots.set(place, key, content)`, None clears
    ui.py              TuiUI: the `UI` that extensions are handed
    facts.py, footer.py, working.py, welcome.py
    budget.py          how long and how much extensions may draw
    dialogs/           lists to choose from or switch in, questions, lines, texts; fuzzy.py searches
    pickers/           lists that know what they list: conversations, the tree of one
    completion/        proposals while one types: what stands there, files, the list, its keys
    editor/            PromptEditor, folded pastes, earlier prompts
    log/               ChatLog: virtual, only what is in sight is laid out; search; marks
    blocks/            the kinds of blocks, Markdown and how a growing one is cut into chunks
    style/             palettes (pi's tokens), theme files, Look: from anything to lines; the guard of all

Rules of the house: text from outside goes through `pi_core.clean` and is never parsed as markup
(`markup=False`, `Text(…)`), nothing here waits inside a listener of the session, and a dialog is a screen
that is opened by `open_dialog`.

Pure.
"""
