"""An alias that NumPy removed."""

# fault: removed-name
# cause: toolkit-mismatch
# needs: numpy

import numpy as np

print(np.zeros(3, dtype=np.float))
