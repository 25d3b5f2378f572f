"""What to run: the fields of a task, their checks and their files. Nothing runs here."""
