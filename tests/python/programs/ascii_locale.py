"""A UTF-8 file under a locale that knows ASCII only."""

# fault: text-encoding
# cause: platform-limit
# run: env -u LANG LC_ALL=POSIX PYTHONCOERCECLOCALE=0 PYTHONUTF8=0 PYTHONIOENCODING=utf-8 {python} {file}

import os
import tempfile

path = os.path.join(tempfile.mkdtemp(), "captions.txt")
with open(path, "wb") as file:
    file.write("ein Hund läuft\n".encode())


def read(path):
    with open(path) as file:
        return file.read()


read(path)
