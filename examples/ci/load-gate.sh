#!/bin/sh
# Gates the build of a push server, in any CI: measures it with four valid runs, and compares them with those of the main branch.
#
#   sh load-gate.sh load/push-server.yaml http://127.0.0.1:8080
#
# BUILD        name of this build; its digits are the seed of the first run, because a server refuses agents that it knows (default: the time)
# KEEP         1 on the main branch: runs that pass join the baseline, which has those of three builds
# Exit codes   0 passed, 99 a threshold was crossed, 111 not measured: this machine was too busy, 114 worse than the baseline,
#              117 too much noise to tell; docs/reference/exit-codes.md has the others.
set -eu
scenario=$1
target=$2
build=${BUILD:-$(date +%s)}
first=$(printf %s "$build" | tr -cd 0-9 | tail -c 9 | sed 's/^0*//')
name=$(basename "$scenario" .yaml)

rm -rf candidate results-*.xml compared.md
mkdir -p candidate baseline
valid=0
try=0
while [ "$valid" -lt 4 ]; do
  if [ "$try" -eq 6 ]; then
    echo "Not measured: of 6 runs only $valid were valid, and it takes 4. Nothing is known about the server." >&2
    exit 111
  fi
  try=$((try + 1))
  code=0
  muster run "$scenario" --target "$target" --seed "$((${first:-0} * 10 + try))" --quiet --junit "results-$try.xml" || code=$?
  if [ "$code" -eq 111 ]; then continue; fi
  if [ "$code" -ne 0 ]; then exit "$code"; fi
  cp -RL "results/$name/latest" "candidate/$build-$try"
  valid=$((valid + 1))
done

# The 240 registrations of four runs with 60 agents rule out 1.5% more errors, and not the 0.5% of the default.
if [ -n "$(ls baseline)" ]; then
  muster compare baseline candidate --tolerance 10% --error-tolerance 2% --markdown compared.md --junit results-compared.xml
fi

if [ "${KEEP:-0}" = 1 ]; then
  cp -R candidate/. baseline/
  # Of three builds with four runs each, twelve stay.
  ls baseline | sort -rV | tail -n +13 | while read -r old; do rm -r "baseline/${old:?}"; done
fi
