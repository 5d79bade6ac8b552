"""The to-do list: tasks, plans, reminders and preferences in one SQLite file. `operations.py` names everything it can do."""
