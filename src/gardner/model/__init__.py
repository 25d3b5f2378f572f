"""What is learned: priors, channels, the models they make and problems drawn from them."""

from gardner.model.absolute import Absolute
from gardner.model.arrays import Array, ArrayObject
from gardner.model.channel import Channel
from gardner.model.flip import Flip
from gardner.model.formula import Compiled
from gardner.model.gauss_bernoulli import GaussBernoulli
from gardner.model.gaussian import Gaussian
from gardner.model.glm import GLM, PERCEPTRON
from gardner.model.instance import Instance, draw_instance
from gardner.model.laplace import Laplace
from gardner.model.linear import Linear
from gardner.model.logistic import Logistic
from gardner.model.prior import Prior
from gardner.model.probit import Probit
from gardner.model.rademacher import Rademacher
from gardner.model.registry import CHANNELS, PRIORS, describe, parse_channel, parse_prior
from gardner.model.sign import Sign
from gardner.model.special import NUMPY, Library, library_of
from gardner.model.spectrum import Spectrum

__all__ = [
    "CHANNELS",
    "GLM",
    "NUMPY",
    "PERCEPTRON",
    "PRIORS",
    "Absolute",
    "Array",
    "ArrayObject",
    "Channel",
    "Compiled",
    "Flip",
    "GaussBernoulli",
    "Gaussian",
    "Instance",
    "Laplace",
    "Library",
    "Linear",
    "Logistic",
    "Prior",
    "Probit",
    "Rademacher",
    "Sign",
    "Spectrum",
    "describe",
    "draw_instance",
    "library_of",
    "parse_channel",
    "parse_prior",
]
