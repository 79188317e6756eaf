"""A module of the project, in a folder that is not searched."""

# fault: missing-module
# cause: code-error

import os
import subprocess
import sys
import tempfile

project = tempfile.mkdtemp()
os.makedirs(os.path.join(project, "src", "mylayers"))
open(os.path.join(project, "src", "mylayers", "__init__.py"), "w").close()
os.makedirs(os.path.join(project, "scripts"))
script = os.path.join(project, "scripts", "train.py")
with open(script, "w") as file:
    file.write("import mylayers\n\nprint(mylayers)\n")
sys.exit(subprocess.call([sys.executable, script], cwd=project))
