"""Files that others read too: one module a format, each writer and reader of it in one place."""
