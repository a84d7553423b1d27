"""Rules of thumb as witnesses: functions, and files of patterns."""
