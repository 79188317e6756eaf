"""A file of the project with the name of an installed package."""

# fault: removed-name
# cause: library-path
# needs: numpy

import os
import subprocess
import sys
import tempfile

project = tempfile.mkdtemp()
with open(os.path.join(project, "numpy.py"), "w") as file:
    file.write("# an experiment with arrays\n")
script = os.path.join(project, "train.py")
with open(script, "w") as file:
    file.write("import numpy as np\n\nprint(np.zeros(3))\n")
sys.exit(subprocess.call([sys.executable, script], cwd=project))
