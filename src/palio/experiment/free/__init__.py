"""Free hyper-parameters (wainer2016 §2.4): all values of one from a single training."""
