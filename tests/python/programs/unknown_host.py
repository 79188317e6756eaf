"""A host name that nobody knows."""

# fault: network-download
# cause: network

import urllib.request

urllib.request.urlopen("http://weights.invalid/model.bin", timeout=5)
