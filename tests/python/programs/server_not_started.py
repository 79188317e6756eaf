"""A server of this machine that does not run yet."""

# fault: network-download
# cause: process-model

import urllib.request


def health(port):
    return urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).read()


health(9)
