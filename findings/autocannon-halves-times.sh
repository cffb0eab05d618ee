#!/usr/bin/env bash
# autocannon 8.0.0 corrects the times of a run with a rate (-R, -r) for coordinated omission, on by default, but gives the expected
# interval as Math.ceil(1 / rate): one millisecond for every rate. Each answer of 40 ms is then recorded as 40, 39, 38 ... 1 ms, so at ten
# requests per second a server that always takes 40 ms has a median of about 20.
#
# One would guess that a correction changes nothing for a server that keeps up.
#
# Seen on 2026-11-28 (the machine was busy), with one connection, -R 10 and a server that answers after 40 ms:
#   as it is: 41 requests, 2292 values, p50 28 ms
#   -C: 41 requests, 41 values, p50 48 ms
# Checked are only that the run without -C has at least ten times as many values as requests and a lower median than the server's 40 ms,
# and that the run with -C has neither.
set -euo pipefail
folder=$(mktemp -d)
server=
trap 'kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-audit --no-fund autocannon@8.0.0
cat >server.mjs <<'JS'
import { createServer } from 'node:http';
const server = createServer((_, response) => setTimeout(() => response.end('ok'), 41));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
JS
node server.mjs >server.txt &
server=$!
until [ -s server.txt ]; do sleep 0.1; done

run() {
  npx autocannon -c 1 -d 4 -R 10 --json "$@" "http://127.0.0.1:$(cat server.txt)/" 2>/dev/null |
    node -e "const { requests, latency } = JSON.parse(fs.readFileSync(0)); console.log(requests.total, latency.totalCount, latency.p50)"
}
read -r requests values median < <(run)
echo "as it is: $requests requests, $values values, p50 $median ms"
[ "$values" -ge $((10 * requests)) ] && [ "$median" -lt 40 ]
read -r requests values median < <(run -C)
echo "-C: $requests requests, $values values, p50 $median ms"
[ "$values" -le $((requests + 1)) ] && [ "$median" -ge 40 ]
