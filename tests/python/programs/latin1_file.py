"""A file in Latin-1, read as UTF-8."""

# fault: text-encoding
# cause: code-error

import os
import tempfile

path = os.path.join(tempfile.mkdtemp(), "names.csv")
with open(path, "wb") as file:
    file.write("name\nJosé\n".encode("latin-1"))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


read(path)
