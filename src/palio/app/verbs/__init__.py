"""One verb of the command line per file; heavy imports wait until a verb runs."""
