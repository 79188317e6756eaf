"""A package that the environment lacks."""

# fault: missing-module
# cause: library-path

import surely_not_installed_here

print(surely_not_installed_here)
