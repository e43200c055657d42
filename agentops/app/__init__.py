"""Composition: the only place that knows all rooms."""
