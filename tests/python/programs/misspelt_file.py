"""A file name with a letter too few."""

# fault: missing-file
# cause: code-error

import os
import tempfile

folder = tempfile.mkdtemp()
with open(os.path.join(folder, "annotations_train.json"), "w") as file:
    file.write("{}")


def load(path):
    with open(path) as file:
        return file.read()


load(os.path.join(folder, "anotations_train.json"))
