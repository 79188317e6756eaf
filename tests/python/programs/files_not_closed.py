"""Each sample opens a file that nobody closes."""

# fault: too-many-open-files
# cause: code-error

import resource

resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
opened = []


class Images:
    def __getitem__(self, index):
        file = open(__file__, "rb")
        opened.append(file)
        return file.read(16)


images = Images()
for index in range(200):
    images[index]
