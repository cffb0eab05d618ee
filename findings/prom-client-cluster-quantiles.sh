#!/usr/bin/env bash
# prom-client 15.1.3 adds up the quantiles of a summary over the workers of a cluster, as it adds up their counts: with four workers whose
# requests all take one second, the 99th percentile of the cluster is four seconds.
#
# One would guess a value between those of the workers, or none, since quantiles cannot be added.
#
# Seen on 2026-11-29:
#   a worker: p99 1 s, 100 requests
#   the cluster: p99 4 s, 400 requests
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-audit --no-fund prom-client@15.1.3
cat >cluster.cjs <<'JS'
const cluster = require('node:cluster');
const { AggregatorRegistry, register, Summary } = require('prom-client');
const shown = (text) => {
  const [p99, count] = [/quantile="0.99".* (\S+)$/m, /_count (\S+)$/m].map((line) => line.exec(text)[1]);
  return `p99 ${p99} s, ${count} requests`;
};
const registry = new AggregatorRegistry();
if (cluster.isPrimary) {
  const workers = Array.from({ length: 4 }, () => cluster.fork());
  let ready = 0;
  for (const worker of workers)
    worker.on('message', async (message) => {
      if (typeof message !== 'string' || ++ready < workers.length) return;
      console.log(`a worker: ${message}`);
      console.log(`the cluster: ${shown(await registry.clusterMetrics())}`);
      for (const one of workers) one.kill();
    });
} else {
  const summary = new Summary({ name: 'response_seconds', help: 'response time', percentiles: [0.99] });
  for (let request = 0; request < 100; request++) summary.observe(1);
  register.metrics().then((text) => process.send(shown(text)));
}
JS
node cluster.cjs | tee seen.txt

diff seen.txt - <<'SEEN'
a worker: p99 1 s, 100 requests
the cluster: p99 4 s, 400 requests
SEEN
