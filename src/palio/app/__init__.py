"""The faces of Palio: the command line."""
