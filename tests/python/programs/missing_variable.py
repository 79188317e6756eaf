"""A variable that a launcher would have set."""

# fault: missing-key
# cause: environment-variable

import os

os.environ.pop("LOCAL_RANK", None)


def device():
    return f"cuda:{os.environ['LOCAL_RANK']}"


device()
