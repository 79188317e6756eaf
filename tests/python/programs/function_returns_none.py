"""A search that found nothing."""

# fault: value-none
# cause: code-error

import re


def step_of(name):
    return re.search(r"step=(\d+)", name).group(1)


step_of("epoch=3.ckpt")
