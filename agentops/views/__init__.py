"""Looking at it: report, status, history, logs. Reads records and events, never writes."""
