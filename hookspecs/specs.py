"""One hook specification an event: the contract between core and extensions, in words.

Every docstring says when the event fires, what a handler sees and may answer, by
which law the answers are combined, what a failing handler does, and since when.

Pure.
"""

from __future__ import annotations

from typing import Any

from hookspecs.markers import hookspec


class PiSpecs:
    """The hooks that an extension may implement, each as `pi_<event>(event, ctx)`."""

    @hookspec
    def pi_session_start(self, event: Any, ctx: Any) -> Any:
        """`session_start`.

        Fires: every time a session is bound: at the start, after a reload, and after new,
            resume and fork.
        Sees: the reason, and the file of the session before, after new, resume and fork.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 0.82.
        """

    @hookspec
    def pi_session_info_changed(self, event: Any, ctx: Any) -> Any:
        """`session_info_changed`.

        Fires: when the session is named or its name is cleared.
        Sees: the normalised name, or None.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 0.82.
        """

    @hookspec
    def pi_session_before_switch(self, event: Any, ctx: Any) -> Any:
        """`session_before_switch`.

        Fires: before a new or another stored session takes the place of this one.
        Sees: the reason, and the target file unless the session is new.
        May answer: `Cancel()`.
        Law: gate (answers merge field by field).
        On failure: no-opinion (reported, counts as no answer).
        Since: 0.82.
        """

    @hookspec
    def pi_session_before_fork(self, event: Any, ctx: Any) -> Any:
        """`session_before_fork`.

        Fires: before the session is forked or cloned.
        Sees: the entry and whether the fork is before or at it.
        May answer: `Cancel()`.
        Law: gate (answers merge field by field).
        On failure: no-opinion (reported, counts as no answer).
        Since: 0.82.
        """

    @hookspec
    def pi_session_before_compact(self, event: Any, ctx: Any) -> Any:
        """`session_before_compact`.

        Fires: after a compaction was prepared and before it is summarised.
        Sees: the preparation, the entries of the branch, instructions of a manual one, the
            reason, and the abort signal.
        May answer: `Cancel()`, or `Compaction(…)` to supply the summary.
        Law: gate (answers merge field by field).
        On failure: no-opinion (reported, counts as no answer).
        Since: 0.82.
        """

    @hookspec
    def pi_session_compact(self, event: Any, ctx: Any) -> Any:
        """`session_compact`.

        Fires: after the entry of a compaction was saved.
        Sees: the entry, who wrote the summary, and the reason.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 0.82.
        """

    @hookspec
    def pi_session_compact_failed(self, event: Any, ctx: Any) -> Any:
        """`session_compact_failed`.

        Fires: when a compaction failed or was aborted.
        Sees: the reason, the error, and whether it was aborted.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 1.6.
        """

    @hookspec
    def pi_session_before_tree(self, event: Any, ctx: Any) -> Any:
        """`session_before_tree`.

        Fires: before the leaf moves to another entry; not when it is there already.
        Sees: the preparation: target, old leaf, common ancestor, entries to summarise,
            instructions, label.
        May answer: `Cancel()`, or `TreeSummary(…)` with a summary, other instructions or a
            label.
        Law: gate (answers merge field by field).
        On failure: no-opinion (reported, counts as no answer).
        Since: 0.82.
        """

    @hookspec
    def pi_session_tree(self, event: Any, ctx: Any) -> Any:
        """`session_tree`.

        Fires: after the leaf moved.
        Sees: the new and the old leaf, and the summary entry if one was written.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 0.82.
        """

    @hookspec
    def pi_session_shutdown(self, event: Any, ctx: Any) -> Any:
        """`session_shutdown`.

        Fires: before a session is torn down.
        Sees: the reason, and the target file when another session follows.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 0.82.
        """

    @hookspec
    def pi_tool_execution_start(self, event: Any, ctx: Any) -> Any:
        """`tool_execution_start`.

        Fires: when a tool call begins, before the tool is looked up and its arguments are
            validated.
        Sees: the call's id, the tool's name and the raw arguments.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 0.82.
        """

    @hookspec
    def pi_tool_call(self, event: Any, ctx: Any) -> Any:
        """`tool_call`.

        Fires: after the arguments were validated and before the tool runs.
        Sees: the tool's name, the call's id and the very object that the tool will receive:
            edit `input` in place.
        May answer: `Block(reason)`, with `terminate` to let the run end.
        Law: gate (answers merge field by field).
        On failure: refuse (reported, and what was asked is refused).
        Since: 0.82.
        """

    @hookspec
    def pi_tool_execution_update(self, event: Any, ctx: Any) -> Any:
        """`tool_execution_update`.

        Fires: for every partial result of a running tool.
        Sees: the call and the partial result.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 0.82.
        """

    @hookspec
    def pi_tool_result(self, event: Any, ctx: Any) -> Any:
        """`tool_result`.

        Fires: after a tool ran, also when it failed; not for calls that never ran.
        Sees: the call, its validated input, and the result: content, details, structured
            content, error flag, usage.
        May answer: `ResultPatch(…)`: the fields that are set replace those of the result.
        Law: chain (each sees the previous result).
        On failure: keep-last (reported, the last good value stays).
        Since: 0.82.
        """

    @hookspec
    def pi_tool_execution_end(self, event: Any, ctx: Any) -> Any:
        """`tool_execution_end`.

        Fires: when a tool call is over, blocked and invalid ones included.
        Sees: the call, the final result and whether it is an error.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 0.82.
        """

    @hookspec
    def pi_before_agent_start(self, event: Any, ctx: Any) -> Any:
        """`before_agent_start`.

        Fires: once before every run that the person or an extension's message starts.
        Sees: the prompt, its images, the system prompt so far, and this run's own prompt
            options.
        May answer: `AgentStart(message=…, system_prompt=…)`: messages add up, the prompt is
            passed on.
        Law: chain (each sees the previous result).
        On failure: keep-last (reported, the last good value stays).
        Since: 1.6.
        """

    @hookspec
    def pi_agent_start(self, event: Any, ctx: Any) -> Any:
        """`agent_start`.

        Fires: when the loop begins, also for a retry or a continuation.
        Sees: nothing but the fact.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 0.82.
        """

    @hookspec
    def pi_agent_end(self, event: Any, ctx: Any) -> Any:
        """`agent_end`.

        Fires: when the loop ends; a retry or a compaction may follow.
        Sees: the messages of this run.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 0.82.
        """

    @hookspec
    def pi_agent_settled(self, event: Any, ctx: Any) -> Any:
        """`agent_settled`.

        Fires: when nothing automatic is left to do.
        Sees: whether the run was aborted; the session is idle.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 0.82.
        """

    @hookspec
    def pi_agent_before_settle(self, event: Any, ctx: Any) -> Any:
        """`agent_before_settle`.

        Fires: when a run is about to settle.
        Sees: how it ended, the draft entries so far, the wish to continue, and a preview of the
            next context.
        May answer: `Boundary(entries=…, continue_=…)`.
        Law: boundary (replaced and checked after each handler).
        On failure: keep-last (reported, the last good value stays).
        Since: 1.6.
        """

    @hookspec
    def pi_turn_start(self, event: Any, ctx: Any) -> Any:
        """`turn_start`.

        Fires: when a turn begins.
        Sees: its index within the run and the time.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 0.82.
        """

    @hookspec
    def pi_turn_end(self, event: Any, ctx: Any) -> Any:
        """`turn_end`.

        Fires: when a turn ended and its messages were saved.
        Sees: the turn's messages and entry ids, how it ended, the draft entries so far, the
            wish to continue, and a preview of the next context.
        May answer: `Boundary(entries=…, continue_=…)`.
        Law: boundary (replaced and checked after each handler).
        On failure: keep-last (reported, the last good value stays).
        Since: 1.6.
        """

    @hookspec
    def pi_message_start(self, event: Any, ctx: Any) -> Any:
        """`message_start`.

        Fires: when a message begins: of the person, the model, a tool or an extension.
        Sees: the message.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 0.82.
        """

    @hookspec
    def pi_message_update(self, event: Any, ctx: Any) -> Any:
        """`message_update`.

        Fires: for every piece of a streaming answer.
        Sees: the message so far and the piece.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 0.82.
        """

    @hookspec
    def pi_message_end(self, event: Any, ctx: Any) -> Any:
        """`message_end`.

        Fires: when a message is complete, before it is saved.
        Sees: the message.
        May answer: `ReplaceMessage(message)`, of the same role.
        Law: chain (each sees the previous result).
        On failure: keep-last (reported, the last good value stays).
        Since: 0.82.
        """

    @hookspec
    def pi_input(self, event: Any, ctx: Any) -> Any:
        """`input`.

        Fires: for every prompt, after commands were matched and before skills and templates are
            expanded.
        Sees: the text, its images, where it came from, and how it is queued while a run goes
            on.
        May answer: `Transform(text, images)`, `Handled()` or `Continue()`.
        Law: chain (each sees the previous result).
        On failure: keep-last (reported, the last good value stays).
        Since: 0.82.
        """

    @hookspec
    def pi_user_bash(self, event: Any, ctx: Any) -> Any:
        """`user_bash`.

        Fires: when the person runs a shell command with `!` or `!!`.
        Sees: the command, the working folder, and whether the model may see it.
        May answer: `Bash(operations=…)` to run it elsewhere, or `Bash(result=…)` to have run
            it; exactly one.
        Law: first (the first decision wins).
        On failure: refuse (reported, and what was asked is refused).
        Since: 1.6.
        """

    @hookspec
    def pi_ui_prompt_start(self, event: Any, ctx: Any) -> Any:
        """`ui_prompt_start`.

        Fires: when the outermost dialog opens before a person.
        Sees: the kind of dialog, its title and why it opened.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 1.6.
        """

    @hookspec
    def pi_ui_prompt_end(self, event: Any, ctx: Any) -> Any:
        """`ui_prompt_end`.

        Fires: when the outermost dialog closes.
        Sees: the kind of dialog, its title and why it opened.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 1.6.
        """

    @hookspec
    def pi_context(self, event: Any, ctx: Any) -> Any:
        """`context`.

        Fires: before every request to a model.
        Sees: a copy of the messages; system messages are kept aside and put back.
        May answer: `ReplaceMessages(messages)`.
        Law: chain (each sees the previous result).
        On failure: keep-last (reported, the last good value stays).
        Since: 1.6.
        """

    @hookspec
    def pi_context_with_system(self, event: Any, ctx: Any) -> Any:
        """`context_with_system`.

        Fires: after every context handler has had its say.
        Sees: a copy of the whole transcript, system messages included.
        May answer: `ReplaceMessages(messages)`, sent as it is.
        Law: chain (each sees the previous result).
        On failure: keep-last (reported, the last good value stays).
        Since: 1.6.
        """

    @hookspec
    def pi_before_provider_headers(self, event: Any, ctx: Any) -> Any:
        """`before_provider_headers`.

        Fires: once a request, when its headers are assembled; retries use the same.
        Sees: the headers, to be edited in place; None deletes one.
        May answer: nothing; what is returned is ignored.
        Law: mutate (one shared object is edited in place).
        On failure: report (reported; the rest goes on).
        Since: 0.82.
        """

    @hookspec
    def pi_before_provider_request(self, event: Any, ctx: Any) -> Any:
        """`before_provider_request`.

        Fires: when the body of a request is built.
        Sees: the body in the provider's own form.
        May answer: any value but None, or `ReplacePayload(value)` for every value.
        Law: chain (each sees the previous result).
        On failure: keep-last (reported, the last good value stays).
        Since: 0.82.
        """

    @hookspec
    def pi_after_provider_response(self, event: Any, ctx: Any) -> Any:
        """`after_provider_response`.

        Fires: when status and headers of a response arrived.
        Sees: status and headers; the body is still unread.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 0.82.
        """

    @hookspec
    def pi_provider_stream_event(self, event: Any, ctx: Any) -> Any:
        """`provider_stream_event`.

        Fires: for every raw chunk of a response.
        Sees: the provider, the wire, the model and the chunk, to be read only.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 1.6.
        """

    @hookspec
    def pi_model_select(self, event: Any, ctx: Any) -> Any:
        """`model_select`.

        Fires: when another model is chosen.
        Sees: the new and the previous model, and how it was chosen.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 0.82.
        """

    @hookspec
    def pi_thinking_level_select(self, event: Any, ctx: Any) -> Any:
        """`thinking_level_select`.

        Fires: when the thinking level in effect changes.
        Sees: the new and the previous level.
        May answer: nothing; what is returned is ignored.
        Law: notify (everybody is told).
        On failure: report (reported; the rest goes on).
        Since: 0.82.
        """

    @hookspec
    def pi_resources_discover(self, event: Any, ctx: Any) -> Any:
        """`resources_discover`.

        Fires: after every session_start.
        Sees: the working folder and whether this is a reload.
        May answer: `Resources(skill_paths, prompt_paths, theme_paths)`.
        Law: collect (answers are concatenated, each with its owner).
        On failure: no-opinion (reported, counts as no answer).
        Since: 0.82.
        """

    @hookspec
    def pi_project_trust(self, event: Any, ctx: Any) -> Any:
        """`project_trust`.

        Fires: before the trust of a project with resources that need it is decided; extensions
            of the project itself are not asked.
        Sees: the working folder.
        May answer: `Trust("yes" | "no" | "undecided", remember)`.
        Law: first (the first decision wins).
        On failure: no-opinion (reported, counts as no answer).
        Since: 0.82.
        """
