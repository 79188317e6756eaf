"""Native code reads an address that is not mapped."""

# fault: segfault
# cause: library-bug

import ctypes


def decode(address):
    return ctypes.string_at(address)


decode(1)
