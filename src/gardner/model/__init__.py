"""What is learned: priors, channels and the models they make."""

from gardner.model.channel import Channel, Sign
from gardner.model.glm import GLM, PERCEPTRON
from gardner.model.prior import Gaussian, Prior
from gardner.model.special import NUMPY, Library, library_of

__all__ = ["GLM", "NUMPY", "PERCEPTRON", "Channel", "Gaussian", "Library", "Prior", "Sign", "library_of"]
