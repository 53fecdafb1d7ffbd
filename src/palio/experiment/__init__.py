"""Run an experiment: data sets × algorithms × resampling → jobs → engine → store."""
