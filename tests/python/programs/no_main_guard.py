"""A script that starts processes with spawn and does not protect its main part."""

# fault: worker-pickling
# cause: process-model

import multiprocessing


def work(value):
    return value + 1


context = multiprocessing.get_context("spawn")
with context.Pool(1) as pool:
    print(pool.map_async(work, [1, 2]).get(8))
