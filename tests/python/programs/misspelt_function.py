"""A function that the package never had."""

# fault: removed-name
# cause: code-error
# needs: numpy

import numpy as np

print(np.arrange(10))
