"""The documentation site: pages in Markdown, and what writes the others."""
