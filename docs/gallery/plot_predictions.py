"""
One test set, instance by instance
==================================

When all that there is is one test set, and what each classifier said of each of its instances.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import palio

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
models = {
    "nb": GaussianNB(),
    "tree": DecisionTreeClassifier(random_state=0),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
}
for model in models.values():
    model.fit(X_train, y_train)
predictions = palio.Predictions.from_arrays(
    y_test,
    {name: model.predict(X_test) for name, model in models.items()},
    probabilities={name: model.predict_proba(X_test) for name, model in models.items()},
    classes=[0, 1],
)

# %%
# McNemar's test: who is right where the other is wrong?

print(palio.compare_predictions(predictions, test="mcnemar"))

# %%
# Costs of errors not known yet? An algorithm off the hull is best for no costs.

hull = palio.compare_predictions(predictions, test="roc-hull").plot("roc-hull")
