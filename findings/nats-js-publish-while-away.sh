#!/usr/bin/env bash
# What a program publishes while its connection to NATS is away is lost with the JavaScript client, @nats-io/transport-node 3.4.0: each new
# attempt to connect empties the buffer, and publish returns without an error. Go's nats.go 1.55.0 keeps up to 8 MB and delivers it.
#
# One would guess that clients that reconnect by themselves, as both do, also agree on what becomes of the messages meanwhile.
#
# Seen on 2026-11-29, with nats-server 2.9.10 away for five seconds, and five messages published in the first of them:
#   JavaScript: 0 of 5 arrived
#   Go: 5 of 5 arrived
set -euo pipefail
folder=$(mktemp -d)
server=
trap 'kill "$server" 2>/dev/null || true; chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"

apt-get download -qq nats-server 2>/dev/null
dpkg -x nats-server_*.deb .
start() {
  rm -f ./*.ports
  usr/sbin/nats-server -a 127.0.0.1 -p "${port:--1}" --ports_file_dir . >server.log 2>&1 &
  server=$!
  until ls ./*.ports >/dev/null 2>&1; do sleep 0.1; done
  port=$(grep -ho '127.0.0.1:[0-9]*' ./*.ports | head -1 | cut -d: -f2)
}
stop() {
  kill "$server"
  wait "$server" || true
}

npm install --silent --no-audit --no-fund --prefix js @nats-io/transport-node@3.4.0
cat >js/publish.mjs <<'JS'
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
const connection = await connect({ servers: process.argv[2] });
let arrived = 0;
connection.subscribe('x', { callback: () => arrived++ });
await connection.flush();
const changes = connection.status()[Symbol.asyncIterator]();
const until = async (type) => {
  while ((await changes.next()).value.type !== type);
};
console.log('ready');
await until('disconnect');
for (let number = 1; number <= 5; number++) {
  connection.publish('x', `${number}`);
  await pause(200);
}
console.log('published');
await until('reconnect');
await connection.flush();
await pause(500);
console.log(`JavaScript: ${arrived} of 5 arrived`);
await connection.close();
JS

mkdir go
cat >go/main.go <<'GO'
package main

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

func main() {
	lost, back := make(chan bool, 1), make(chan bool, 1)
	connection, err := nats.Connect(os.Args[1],
		nats.DisconnectErrHandler(func(*nats.Conn, error) { lost <- true }),
		nats.ReconnectHandler(func(*nats.Conn) { back <- true }))
	if err != nil {
		panic(err)
	}
	var arrived atomic.Int32
	connection.Subscribe("x", func(*nats.Msg) { arrived.Add(1) })
	connection.Flush()
	fmt.Println("ready")
	<-lost
	for number := range 5 {
		if err := connection.Publish("x", []byte{byte(number)}); err != nil {
			panic(err)
		}
		time.Sleep(200 * time.Millisecond)
	}
	fmt.Println("published")
	<-back
	connection.Flush()
	time.Sleep(500 * time.Millisecond)
	fmt.Printf("Go: %d of 5 arrived\n", arrived.Load())
}
GO
export GOPATH="$folder/gopath"
(cd go && go mod init publish && go get github.com/nats-io/nats.go@v1.55.0 && go build -o ../publish) >/dev/null 2>&1

try() {
  start
  "$@" "nats://127.0.0.1:$port" >client.txt &
  client=$!
  until grep -q ready client.txt; do sleep 0.1; done
  stop
  until grep -q published client.txt; do sleep 0.1; done
  sleep 4
  start
  wait "$client"
  stop
  tail -n 1 client.txt
}
try node js/publish.mjs >seen.txt
try ./publish >>seen.txt
cat seen.txt

diff seen.txt - <<'SEEN'
JavaScript: 0 of 5 arrived
Go: 5 of 5 arrived
SEEN
