#!/usr/bin/env bash
# What action.yml and the GitLab snippet run: annotations, a job summary, SARIF. Settings come from the environment:
# LOGS (paths or globs, one per line), REPORTS, SARIF, FAIL.
set -euo pipefail
shopt -s nullglob globstar

files=()
while IFS= read -r pattern; do
  [ -n "$pattern" ] || continue
  # Unquoted on purpose, since a line may be a glob; without IFS its blanks stay.
  IFS=
  for file in $pattern; do [ ! -f "$file" ] || files+=("$file"); done
  unset IFS
done <<< "${LOGS:?LOGS names the logs}"
if [ ${#files[@]} -eq 0 ]; then
  echo "faultbook: no log matches" >&2
  exit 0
fi
options=(--color never)
[ -z "${REPORTS:-}" ] || options+=(--reports "$REPORTS")

found=0
faultbook "${options[@]}" --format github diagnose "${files[@]}" || found=$?
# 2 and 3 are mistakes of the call or of Faultbook; 1 says that no known fault was found.
[ "$found" -le 1 ] || exit "$found"
faultbook "${options[@]}" --format markdown diagnose "${files[@]}" >> "${GITHUB_STEP_SUMMARY:-/dev/stdout}" || true
[ -z "${SARIF:-}" ] || faultbook "${options[@]}" --format sarif diagnose "${files[@]}" > "$SARIF" || true
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  fault=
  for file in "${files[@]}"; do
    fault=$(faultbook "${options[@]}" --format json diagnose "$file" | sed -n 's/^    "id": "\(.*\)",$/\1/p' | head -n 1) || true
    [ -z "$fault" ] || break
  done
  echo "fault=$fault" >> "$GITHUB_OUTPUT"
fi
if [ "$found" -eq 0 ] && [ "${FAIL:-false}" = true ]; then exit 1; fi
exit 0
