"""A folder without images."""

# fault: empty-dataset
# cause: code-error
# needs: torch

import glob
import os
import tempfile

from torch.utils.data import DataLoader

images = sorted(glob.glob(os.path.join(tempfile.mkdtemp(), "*.jpg")))
DataLoader(images, batch_size=2, shuffle=True)
