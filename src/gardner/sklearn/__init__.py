"""The model of ``gardner query`` as estimators of scikit-learn.

>>> from gardner.sklearn import GLMClassifier
>>> from sklearn.datasets import load_breast_cancer
>>> X, y = load_breast_cancer(return_X_y=True)
>>> model = GLMClassifier().fit(X[:100], y[:100])
>>> model.method_, bool(model.score(X[100:], y[100:]) > 0.9)
('ep', True)
"""

from gardner.sklearn.classifier import GLMClassifier
from gardner.sklearn.regressor import GLMRegressor

__all__ = ["GLMClassifier", "GLMRegressor"]
