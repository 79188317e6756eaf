"""The path is right, and the program starts in another folder."""

# fault: missing-file
# cause: code-error

import os
import tempfile

project = tempfile.mkdtemp()
os.makedirs(os.path.join(project, "data"))
with open(os.path.join(project, "data", "train.csv"), "w") as file:
    file.write("a,b\n1,2\n")
os.makedirs(os.path.join(project, "jobs"))
os.chdir(project)


def load(path):
    with open(path) as file:
        return file.readlines()


load("train.csv")
