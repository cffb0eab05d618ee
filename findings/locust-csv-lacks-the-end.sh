#!/usr/bin/env bash
# Locust 2.47.0 writes the files of --csv once a second and not again at the end, so they lack the requests, failures and times of up to the
# last second. The table that it prints and the JSON of --json have them. A run that ends with an outage can have no failure in its files.
#
# One would guess that all results of a finished run have the same numbers, since a pipeline reads the CSV and a person the table.
#
# Seen on 2026-11-29, for 25 requests of one user, one every 100 ms, of which the server refuses the last three:
#   server: 25 requests; JSON: 25, 3 failures; CSV: 20, 0 failures
# Checked are only that the server answered as many requests as the JSON has, and that the CSV has fewer requests and fewer failures.
set -euo pipefail
folder=$(mktemp -d)
server=
trap 'kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"

python3 -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check locust==2.47.0
cat >server.mjs <<'JS'
import { createServer } from 'node:http';
let requests = 0;
const server = createServer((_, response) => {
  response.statusCode = ++requests > 22 ? 503 : 200;
  response.end('ok');
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.on('SIGTERM', () => {
  console.log(requests);
  process.exit();
});
JS
cat >locustfile.py <<'PYTHON'
from locust import HttpUser, constant_pacing, task


class Client(HttpUser):
    wait_time = constant_pacing(0.1)
    requests = 0

    @task
    def ask(self):
        self.client.get("/")
        self.requests += 1
        if self.requests == 25:
            self.environment.runner.quit()
PYTHON
node server.mjs >server.txt &
server=$!
until [ -s server.txt ]; do sleep 0.1; done
# The exit code is 1 if a request failed.
venv/bin/locust -f locustfile.py --headless -u 1 --host "http://127.0.0.1:$(cat server.txt)" --only-summary --csv out --json \
  >out.json 2>out.txt || [ $? -eq 1 ]
kill "$server"
wait "$server" || true

answered=$(tail -n 1 server.txt)
read -r json_requests json_failures < <(node -e "
const [{ num_requests, num_failures }] = JSON.parse(fs.readFileSync('out.json', 'utf8'));
console.log(num_requests, num_failures)")
read -r csv_requests csv_failures < <(awk -F, '$2 == "Aggregated" { print $3, $4 }' out_stats.csv)
echo "server: $answered requests; JSON: $json_requests, $json_failures failures; CSV: $csv_requests, $csv_failures failures"
[ "$json_requests" -eq "$answered" ] && [ "$csv_requests" -lt "$json_requests" ] && [ "$csv_failures" -lt "$json_failures" ]
