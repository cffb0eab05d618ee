#!/usr/bin/env bash
# hey 0.1.4 (Debian) sends n / c requests over each of its c workers, rounded down: `-n 200 -c 150`, 200 being its default of -n, sends 150.
# It prints 150 responses and no word about the other 50, and exits with 0.
#
# One would guess that -n, "number of requests to run", is their number, as -n of ab is.
#
# Seen on 2026-11-29:
#   -n 200 -c 150: 150 requests
#   -n 1000 -c 300: 900 requests
#   -n 1000 -c 100: 1000 requests
set -euo pipefail
folder=$(mktemp -d)
server=
trap 'kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"

apt-get download -qq hey 2>/dev/null
dpkg -x hey_*.deb .
cat >server.mjs <<'JS'
import { createServer } from 'node:http';
let requests = 0;
const server = createServer(({ url }, response) => {
  if (url === '/') requests++;
  response.end(`${requests}`);
  if (url === '/requests') requests = 0;
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
JS
node server.mjs >server.txt &
server=$!
until [ -s server.txt ]; do sleep 0.1; done
url=http://127.0.0.1:$(cat server.txt)/

for order in '-n 200 -c 150' '-n 1000 -c 300' '-n 1000 -c 100'; do
  # shellcheck disable=SC2086 # several words
  usr/bin/hey $order "$url" >hey.txt 2>&1
  echo "$order: $(curl -s "${url}requests") requests"
done | tee seen.txt

diff seen.txt - <<'SEEN'
-n 200 -c 150: 150 requests
-n 1000 -c 300: 900 requests
-n 1000 -c 100: 1000 requests
SEEN
