"""The files of a pool: which column is what, what rows say, which rows are a part."""
