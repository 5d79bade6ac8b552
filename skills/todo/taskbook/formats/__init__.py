"""Foreign forms of a task list. Each module has read(text) -> Reading and write(entries) -> Written; none of them knows the store."""
