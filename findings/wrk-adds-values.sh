#!/usr/bin/env bash
# wrk 4.1.0 (Debian) adds values to its measurements after a run: for each answer that took much longer than the mean interval between
# requests, those that requests would have had which a slow server kept it from sending. Its percentiles are then not those of its requests.
#
# One would guess that wrk prints what it measured, since only wrk2 is known for correcting coordinated omission.
#
# Seen on 2026-11-28 (the machine was busy), with a server that freezes for half of each second and answers in 5 ms otherwise:
#   206 requests, 296 values
#   p75: 15.8 ms at the server, 110.7 ms in wrk
# Checked are only that there are more values than requests, and that wrk's p75 is more than twice the server's.
set -euo pipefail
folder=$(mktemp -d)
server=
trap 'kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"

apt-get download -qq wrk libluajit-5.1-2 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
export LD_LIBRARY_PATH="$folder/usr/lib/$(uname -m)-linux-gnu"

cat >server.mjs <<'JS'
import { createServer } from 'node:http';
const times = [];
let frozenUntil = 0;
setInterval(() => (frozenUntil = performance.now() + 500), 1000);
const server = createServer((_, response) => {
  const from = performance.now();
  const end = () => {
    response.end('ok');
    times.push(performance.now() - from);
  };
  setTimeout(end, Math.max(5, frozenUntil - from));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.on('SIGTERM', () => {
  times.sort((a, b) => a - b);
  console.log(times[Math.ceil(0.75 * times.length) - 1].toFixed(1));
  process.exit();
});
JS
cat >count.lua <<'LUA'
done = function(summary, latency)
  local values = 0
  for place = 1, #latency do
    local _, count = latency(place)
    values = values + count
  end
  print(string.format("RESULT %d %d %.1f", summary.requests, values, latency:percentile(75) / 1000))
end
LUA
node server.mjs >server.txt &
server=$!
until [ -s server.txt ]; do sleep 0.1; done
usr/bin/wrk --version | head -1 || true
read -r _ requests values p75 < <(usr/bin/wrk -t1 -c1 -d6s -s count.lua "http://127.0.0.1:$(head -1 server.txt)/" | grep RESULT)
kill "$server"
wait "$server" || true
own=$(tail -1 server.txt)
echo "$requests requests, $values values"
echo "p75: $own ms at the server, $p75 ms in wrk"
[ "$values" -gt "$requests" ]
awk -v wrk="$p75" -v own="$own" 'BEGIN { exit !(wrk > 2 * own) }'
