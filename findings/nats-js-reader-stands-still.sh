#!/usr/bin/env bash
# A reader with the JavaScript client, @nats-io/jetstream 3.4.0, stands still once the server that holds its ordered consumer is lost, though
# two other servers have the stream: after missed heartbeats it asks for the state of that consumer, again and again, which only the lost
# server knows. A new reader of the same program reads on at once.
#
# One would guess that a stream with three copies can be read on with two of three servers, as it can be written.
#
# Seen on 2026-11-29, with three nats-server 2.9.10, of which the consumer's is killed, and 25 s of patience:
#   before the loss: read true; after it: written true, read false
#   a new reader of the same program: after
set -euo pipefail
folder=$(mktemp -d)
trap 'kill $(cat "$folder"/*.pid) 2>/dev/null || true; chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"

apt-get download -qq nats-server 2>/dev/null
dpkg -x nats-server_*.deb .
base=$((20000 + RANDOM % 10000))
routes=$(seq -s, -f "nats://127.0.0.1:%.0f" $((base + 11)) $((base + 13)))
servers=$(seq -s, -f "nats://127.0.0.1:%.0f" $((base + 1)) $((base + 3)))
start() {
  for number in 1 2 3; do
    usr/sbin/nats-server -n "$number" -a 127.0.0.1 -p $((base + number)) -js -sd "$1/$number" --cluster_name three \
      --cluster "nats://127.0.0.1:$((base + 10 + number))" --routes "$routes" >"$number.log" 2>&1 &
    echo $! >"$number.pid"
    disown
  done
  until grep -q 'new metadata leader' ./*.log; do sleep 0.2; done
}

npm install --silent --no-audit --no-fund --prefix js @nats-io/transport-node@3.4.0 @nats-io/jetstream@3.4.0
cat >js/read.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
const connection = await connect({ servers: process.argv[2].split(','), maxReconnectAttempts: -1 });
const manager = await jetstreamManager(connection);
const stream = jetstream(connection);
const persist = async (act) => {
  for (;;) {
    try {
      return await act();
    } catch {
      await pause(200);
    }
  }
};
await persist(() => manager.streams.add({ name: 'x', subjects: ['x'], num_replicas: 3 }));
const consumer = await stream.consumers.get('x');
const messages = await consumer.consume({ idle_heartbeat: 2000, expires: 10_000 });
const read = [];
(async () => {
  for await (const message of messages) read.push(message.string());
})();
const isRead = async (text, seconds) => {
  for (let tries = 10 * seconds; tries > 0 && !read.includes(text); tries--) await pause(100);
  return read.includes(text);
};
await persist(() => stream.publish('x', 'before'));
const before = await isRead('before', 20);
const { cluster } = (await manager.consumers.list('x').next())[0];
process.kill(Number(readFileSync(`${cluster.leader}.pid`, 'utf8')), 'SIGKILL');
await persist(() => stream.publish('x', 'after', { timeout: 2000 }));
const after = await isRead('after', 25);
console.log(`before the loss: read ${before}; after it: written true, read ${after}`);
const other = await persist(() => stream.consumers.get('x', { opt_start_seq: 2 }));
console.log(`a new reader of the same program: ${(await other.next())?.string()}`);
process.exit();
JS

start store
node js/read.mjs "$servers" >seen.txt
cat seen.txt

diff seen.txt - <<'SEEN'
before the loss: read true; after it: written true, read false
a new reader of the same program: after
SEEN
