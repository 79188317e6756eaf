"""A lambda for processes that are started with spawn."""

# fault: worker-pickling
# cause: process-model

import multiprocessing


def work(function, value):
    print(function(value))


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    worker = context.Process(target=work, args=(lambda value: value + 1, 1))
    worker.start()
    worker.join()
