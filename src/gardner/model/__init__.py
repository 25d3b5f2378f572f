"""What is learned: priors, channels, the models they make and problems drawn from them."""

from gardner.model.channel import Channel, Sign
from gardner.model.glm import GLM, PERCEPTRON
from gardner.model.instance import Instance, draw_instance
from gardner.model.prior import Gaussian, Prior
from gardner.model.special import NUMPY, Library, library_of

__all__ = [
    "GLM",
    "NUMPY",
    "PERCEPTRON",
    "Channel",
    "Gaussian",
    "Instance",
    "Library",
    "Prior",
    "Sign",
    "draw_instance",
    "library_of",
]
