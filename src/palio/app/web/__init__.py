"""The workbench: a page in the browser that asks, and a server on this machine that answers."""
