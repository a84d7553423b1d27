"""Items and labels from files, all checked before anything is stored."""
