#!/usr/bin/env bash
# A program of the Prometheus project that `go install …@v0.35.0` built prints an empty version and revision, although the same file has its
# version in the build information of Go. The project sets its version only with linker flags of its own build.
#
# One would guess that `--version` names the version that was asked for, or at least that a check such as "3 or newer" can read a number.
#
# Seen on 2026-11-28 with amtool of Alertmanager 0.35.0 and Go 1.26.8; prometheus of v0.316.0 (3.16) does the same:
#   --version: amtool, version  (branch: , revision: unknown)
#   go version -m: github.com/prometheus/alertmanager v0.35.0
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

GOBIN="$folder" go install github.com/prometheus/alertmanager/cmd/amtool@v0.35.0
{
  echo "--version: $("$folder/amtool" --version 2>&1 | head -n 1)"
  echo "go version -m: $(go version -m "$folder/amtool" | awk '$1 == "mod" { print $2, $3 }')"
} | tee "$folder/seen.txt"

diff - "$folder/seen.txt" <<'SEEN'
--version: amtool, version  (branch: , revision: unknown)
go version -m: github.com/prometheus/alertmanager v0.35.0
SEEN
