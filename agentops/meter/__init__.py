"""Accounts: what may still be spent."""
