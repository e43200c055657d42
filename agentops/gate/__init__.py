"""Judging: checks give findings, the verdict is pure. Nothing here touches the tree."""
