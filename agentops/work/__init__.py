"""Where work comes from: sources in ladder order, asked one after the other."""
