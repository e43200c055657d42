"""Coding agents: how each is started, and one truthful result for every run."""
