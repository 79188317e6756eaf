#!/bin/sh
# An epilog for Slurm: scans the log of a job that has ended, and appends what was found, one fault per line with the job
# before it, to a file that log shippers and Spark read. In slurm.conf, one of
#
#   Epilog=/etc/slurm/faultbook-epilog.sh             on the job's machines, as root; the batch host does the work
#   EpilogSlurmctld=/etc/slurm/faultbook-epilog.sh    on the controller, once per job, which must see the log
#
# /etc/default/faultbook may set FAULTBOOK (the program), FAULTBOOK_FINDINGS (the file) and FAULTBOOK_SECONDS.
# It always ends with 0: Slurm takes a machine down whose epilog fails.

# Epilogs have no search path.
PATH=${PATH:+$PATH:}/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
export PATH
trap 'exit 0' EXIT HUP TERM
# shellcheck source=/dev/null
[ -r /etc/default/faultbook ] && . /etc/default/faultbook
findings=${FAULTBOOK_FINDINGS:-/var/log/faultbook/findings.jsonl}

# A job's number is all that is taken over into JSON without care.
case ${SLURM_JOB_ID:-} in '' | *[!0-9]*) exit ;; esac
# A controller that is busy does not hold the machine.
job=$(timeout -k 5 20 scontrol show job "$SLURM_JOB_ID")
# Of an array, Slurm shows all tasks; each begins with `JobId=`.
field() {
  printf '%s\n' "$job" | awk -v job="JobId=$SLURM_JOB_ID" -v name="$1=" '
    $1 ~ /^JobId=/ { is_this = $1 == job }
    is_this { line = $0; sub(/^ +/, "", line); if (index(line, name) == 1) { print substr(line, length(name) + 1); exit } }'
}
batch_host=$(field BatchHost)
[ -n "${SLURMD_NODENAME:-}" ] && [ "$SLURMD_NODENAME" != "$batch_host" ] && exit
log=$(field StdOut)

# As the job's user: a log that is a link shows nobody more than that user may read.
as_user() {
  if [ "$(id -u)" = 0 ]; then runuser -u "${SLURM_JOB_USER:?}" -- "$@"; else "$@"; fi
}
found=$(as_user timeout -k 5 "${FAULTBOOK_SECONDS:-120}" "${FAULTBOOK:-faultbook}" scan --format jsonl "$log" 2>/dev/null |
  sed "s/^{/{\"job\":\"$SLURM_JOB_ID\",/")
[ -n "$found" ] || exit
mkdir -p "$(dirname "$findings")"
# Several jobs may end at once; a line is never cut by another.
printf '%s\n' "$found" | flock "$findings.lock" tee -a "$findings" >/dev/null
