"""A folder of another user."""

# fault: permission-denied
# cause: platform-limit

import os
import tempfile

folder = tempfile.mkdtemp()
os.chmod(folder, 0o755)
checkpoints = os.path.join(folder, "checkpoints")
os.mkdir(checkpoints, 0o755)
if os.getuid() == 0:
    os.setuid(65534)
else:
    os.chmod(checkpoints, 0o555)


def save(path):
    with open(path, "wb") as file:
        file.write(b"weights")


save(os.path.join(checkpoints, "last.ckpt"))
