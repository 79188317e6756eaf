#!/bin/sh
# Builds the pretend GPU (fakecuda.rs) into $1 (default /tmp/fake) under the names that libraries look for.
out=${1:-/tmp/fake}; mkdir -p "$out/driver"
rustc --edition 2021 -O --crate-type cdylib -C panic=abort "$(dirname "$0")/fakecuda.rs" -o "$out/libfakecuda.so" || exit 1
for name in libcuda.so libcuda.so.1 libnvidia-ml.so.1; do ln -sf ../libfakecuda.so "$out/driver/$name"; done
