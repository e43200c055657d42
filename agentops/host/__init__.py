"""The machine: the one launcher, process trees, sandbox mounts, files, locks, clock, git as a command door."""
