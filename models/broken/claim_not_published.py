"""A claim is made in the cells and never written to its file: another process finds the target free."""

from dhruva.effects import Publish
from dhruva.explore import Model
from models import lock_release as family
from models.broken import unsaid

FAILS = "a claim is published"
LENGTH = 1


def model() -> Model:
    return family.model(nonces=2, step=unsaid(Publish))
