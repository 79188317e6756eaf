#!/usr/bin/env bash
# Builds faultbook.vsix: compiles the extension and packs it with what it needs at run time.
set -euo pipefail
cd "$(dirname "$0")"
npm install --no-audit --no-fund
npx tsc -p .
npx vsce package --allow-missing-repository --skip-license --out faultbook.vsix
