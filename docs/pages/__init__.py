"""Pages that are written from the code: methods, commands, learners, figures."""
