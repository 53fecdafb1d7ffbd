"""What plays another system is loaded by the processes that it is for, and by nobody else."""

collect_ignore = ["elsewhere"]
