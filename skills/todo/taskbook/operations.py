"""Every operation as data: its parameters (JSON Schema properties), what it needs, what it does to the data, and where it is written.

The command line, the JSON lines of `serve` and commands.yaml all follow this table; a test compares them. The first 23 are the
operations that other programs rely on: their names and parameters never change.
"""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Schema = Mapping[str, Any]
PRIORITIES = ("high", "medium", "low")
STATUSES = ("todo", "doing", "done")
FORMATS = ("todotxt", "taskwarrior", "ics")


@dataclass(frozen=True)
class Operation:
    """`module`.`function` takes (Context, values) and returns the payload with its `message`. `effect`: read, write, destructive, network."""

    name: str
    module: str
    effect: str
    summary: str
    params: Mapping[str, Schema]
    required: tuple[str, ...] = ()

    @property
    def function(self) -> str:
        """The function is called as the operation is."""
        return self.name


def _text(limit: int = 2000, **more: Any) -> Schema:
    return {"type": "string", "maxLength": limit, **more}


_ID: Schema = {"type": "integer", "minimum": 1}
_IDS: Schema = {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 1, "maxItems": 500}
_PRIORITY: Schema = {"type": "string", "enum": list(PRIORITIES)}
_STATUS: Schema = {"type": "string", "enum": list(STATUSES)}
_TAGS: Schema = {"type": "array", "items": {"type": "string", "maxLength": 50}, "maxItems": 50}
_MINUTES: Schema = {"type": "integer", "minimum": 1, "maximum": 1440}
_PHRASE: Schema = _text(100)
_TITLE: Schema = _text(500)
_FLAG: Schema = {"type": "boolean", "default": False}
_TODAY: Schema = _text(100, default="今天")
_CLOCK: Schema = _text(20)
_WHICH: Schema = _text(500)
_DETAILS: Mapping[str, Schema] = {"priority": {**_PRIORITY, "default": "medium"}, "due_date": _PHRASE, "tags": _TAGS,
                                  "estimated_minutes": _MINUTES, "notes": _text(10_000)}
_REPEATED = {name: schema for name, schema in _DETAILS.items() if name != "due_date"}


def _table(module: str, *rows: tuple[str, str, str, Mapping[str, Schema], tuple[str, ...]]) -> dict[str, Operation]:
    return {name: Operation(name, module, effect, summary, params, required) for name, effect, summary, params, required in rows}


SPECIFIED: Mapping[str, Operation] = {
    **_table(
        "tasks",
        ("add_task", "write", "Add one task.", {"title": _TITLE, **_DETAILS, "status": {**_STATUS, "default": "todo"}}, ("title",)),
        ("add_tasks", "write", "Add several tasks, all or none.", {
            "tasks": {"type": "array", "items": {"type": "object"}, "minItems": 1, "maxItems": 500}}, ("tasks",)),
        ("list_tasks", "read", "List tasks, open ones first, by deadline.", {
            "status": _STATUS, "priority": _PRIORITY, "tag": _text(50), "keyword": _text(200), "due_before": _PHRASE, "only_overdue": _FLAG,
            "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 50}}, ()),
        ("get_task", "read", "One task with all its fields.", {"task_id": _ID}, ("task_id",)),
        ("task_stats", "read", "How many tasks there are, by status.", {}, ()),
        ("update_task", "write", "Change the given fields of a task.", {
            "task_id": _ID, "title": _TITLE, "priority": _PRIORITY, "due_date": _PHRASE, "clear_due_date": _FLAG, "tags": _TAGS,
            "estimated_minutes": _MINUTES, "notes": _text(10_000), "status": _STATUS}, ("task_id",)),
        ("complete_task", "write", "Mark one task as done.", {"task_id": _ID}, ("task_id",)),
        ("complete_tasks", "write", "Mark several tasks as done.", {"task_ids": _IDS}, ("task_ids",)),
        ("delete_task", "destructive", "Delete a task; the first call only asks.", {"task_id": _ID, "confirm": _FLAG}, ("task_id",)),
        ("delete_tasks", "destructive", "Delete several tasks; the first call only asks.", {"task_ids": _IDS, "confirm": _FLAG}, ("task_ids",))),
    **_table("ranking", ("prioritize_tasks", "read", "The open tasks by score, with the reasons.", {
        "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 10}, "tag": _text(50)}, ())),
    **_table("planning", ("plan_day", "read", "A plan for a day: which task when, and what does not fit.", {
        "date": _TODAY, "start_time": _CLOCK, "end_time": _CLOCK, "lunch_start": _CLOCK, "lunch_end": _CLOCK,
        "break_minutes": {"type": "integer", "minimum": 0, "maximum": 240}, "include_backlog": {"type": "boolean", "default": True},
        "max_tasks": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 20}}, ())),
    **_table("brief", ("generate_daily_brief", "network", "The day in a few lines: weather, counts, overdue, today, top three, plan.", {
        "date": _TODAY, "city": _text(50)}, ())),
    **_table("checklist", ("export_checklist", "write", "Write the day's checklist to a file.", {
        "date": _TODAY, "fmt": {"type": "string", "enum": ["md", "json"], "default": "md"}, "status": _STATUS}, ())),
    **_table(
        "weather",
        ("get_weather", "network", "The weather of a city for one or more days.", {
            "city": _text(50), "date": _TODAY, "days": {"type": "integer", "minimum": 1, "maximum": 16, "default": 1}}, ("city",)),
        ("weather_travel_advice", "network", "Whether the weather of a day suits going out.", {"city": _text(50), "date": _TODAY}, ("city",))),
    **_table(
        "reminders",
        ("get_due_reminders", "read", "What is overdue, due soon, or due today.", {
            "within_minutes": {"type": "integer", "minimum": 0, "maximum": 525_600, "default": 60}}, ()),
        ("send_desktop_notification", "write", "Show a notification on the desktop.", {
            "title": _text(200), "message": _text(1000)}, ("title", "message")),
        ("reminder_overview", "read", "Counts of what comes up, and the nearest five.", {}, ())),
    **_table(
        "preferences",
        ("remember_preference", "write", "Remember a preference and why.", {
            "key": _text(100), "value": _text(1000), "reason": _text(1000)}, ("key", "value")),
        ("recall_preference", "read", "One preference.", {"key": _text(100)}, ("key",)),
        ("list_preferences", "read", "All preferences.", {}, ()),
        ("forget_preference", "destructive", "Forget a preference.", {"key": _text(100)}, ("key",))),
}

FURTHER: Mapping[str, Operation] = {
    **_table("phrases", ("parse_time", "read", "What a time phrase means, or why it is refused.", {"text": _text(200)}, ("text",))),
    **_table("quick", ("quick_add", "write", "Add what one sentence says: title, deadline, priority, length, tags, repetition.", {
        "text": _text(600)}, ("text",))),
    **_table(
        "journal",
        ("undo", "write", "Take the last change back; a batch is one change.", {}, ()),
        ("redo", "write", "Do again what was taken back last.", {}, ()),
        ("history", "read", "The last changes.", {"limit": {"type": "integer", "minimum": 1, "maximum": 200, "default": 10}}, ())),
    **_table(
        "recurring",
        ("add_recurring", "write", "Add a task that comes again by a rule.", {"title": _TITLE, "rule": _PHRASE, **_REPEATED}, ("title", "rule")),
        ("set_recurrence", "write", "Let a task come again by a rule.", {"task_id": _ID, "rule": _PHRASE}, ("task_id", "rule")),
        ("clear_recurrence", "write", "Stop a task from coming again.", {"task_id": _ID}, ("task_id",)),
        ("skip_occurrence", "write", "Move a recurring task to its next date without doing it.", {"task_id": _ID}, ("task_id",)),
        ("list_recurring", "read", "The tasks that come again, with their rules.", {}, ())),
    **_table(
        "subtasks",
        ("add_subtask", "write", "Add a part of a task.", {"parent_id": _ID, "title": _TITLE, **_DETAILS}, ("parent_id", "title")),
        ("set_parent", "write", "Make a task part of another; 0 makes it stand alone.", {
            "task_id": _ID, "parent_id": {"type": "integer", "minimum": 0}}, ("task_id", "parent_id"))),
    **_table(
        "exchange",
        ("import_tasks", "write", "Take over tasks from a file of the workspace.", {
            "path": _text(500), "fmt": {"type": "string", "enum": list(FORMATS)}}, ("path",)),
        ("export_tasks", "write", "Write the tasks to a file of the workspace.", {
            "fmt": {"type": "string", "enum": list(FORMATS)}, "path": _text(500), "status": _STATUS}, ("fmt",))),
    **_table(
        "delivery",
        ("reminders", "write", "The reminders that are due now; each is given once.", {
            "within_minutes": {"type": "integer", "minimum": 0, "maximum": 1440, "default": 60}}, ()),
        ("snooze", "write", "Be reminded of a task again later.", {"task_id": _ID, "until": _PHRASE}, ("task_id", "until"))),
    **_table(
        "changes",
        ("board", "read", "Everything a board of a day shows, in one call.", {"date": _TODAY}, ()),
        ("changes", "read", "What changed since a version.", {
            "since": {"type": "integer", "minimum": 0}, "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 200}}, ("since",))),
    **_table(
        "spoken",
        ("show", "read", "A task that is named or pointed at.", {"which": _WHICH}, ("which",)),
        ("finish", "write", "Mark the named task as done.", {"which": _WHICH}, ("which",)),
        ("start", "write", "Mark the named task as being worked on.", {"which": _WHICH}, ("which",)),
        ("reopen", "write", "Open the named task again.", {"which": _WHICH}, ("which",)),
        ("postpone", "write", "Give the named task another deadline.", {"which": _WHICH, "when": _PHRASE}, ("which", "when")),
        ("reprioritize", "write", "Give the named task another priority.", {"which": _WHICH, "priority": _PRIORITY}, ("which", "priority")),
        ("rename", "write", "Give the named task another title.", {"which": _WHICH, "title": _TITLE}, ("which", "title")),
        ("annotate", "write", "Add a note to the named task.", {"which": _WHICH, "notes": _text(2000)}, ("which", "notes")),
        ("estimate", "write", "Say how long the named task takes.", {"which": _WHICH, "minutes": _MINUTES}, ("which", "minutes")),
        ("tag", "write", "Add tags to the named task.", {"which": _WHICH, "tags": _TAGS}, ("which", "tags")),
        ("remove", "write", "Ask whether the named task is to be deleted.", {"which": _WHICH}, ("which",)),
        ("confirm_delete", "destructive", "Delete what was asked about.", {}, ()),
        ("cancel_delete", "write", "Keep what was asked about.", {}, ())),
}

OPERATIONS: Mapping[str, Operation] = {**SPECIFIED, **FURTHER}

ALIASES: Mapping[str, Mapping[str, str]] = {  # words that people say for the values of an enum
    "priority": {"高": "high", "中": "medium", "低": "low", "高优先级": "high", "中优先级": "medium", "低优先级": "low"},
    "status": {"待办": "todo", "进行中": "doing", "已完成": "done", "完成": "done"},
}
