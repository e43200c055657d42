"""The heart: places, snapshots, effect, contested and swept, keep, take back, restore. It never loses a person's byte."""
