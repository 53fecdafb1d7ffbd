"""
Two language models, question by question
=========================================

Scores on each question, asked of both models. On other questions of these tasks, would the
verdict be the same? Here 200 questions of two tasks, drawn at random.
"""

import numpy as np

import palio

rng = np.random.default_rng(0)
hard = rng.normal(size=200)
rows = [
    {"task": task, "question": i, "model": model, "correct": int(skill + hard[i] > rng.normal())}
    for model, skill in (("large", 0.6), ("small", 0.1))
    for i, task in enumerate(["sums"] * 100 + ["words"] * 100)
]
items = palio.read_items(rows)
comparison = palio.compare(items, over="items")
print(comparison.verdict.best)
print(comparison)

# %%
# The difference on each task and over both, with intervals.

forest = comparison.plot("forest")
