"""Items and labels from files, and the labels as files."""
