"""One summary of a result, and its faces: text, JSON, HTML, figures."""
