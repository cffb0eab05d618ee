#!/usr/bin/env bash
# The JavaScript client of NATS takes a text with several servers, as Go's client and the command line do, without an error, and connects to
# the last of them only: @nats-io/transport-node 3.4.0. Go's nats.go 1.55.0 tries all of them.
#
# One would guess that a configuration such as NATS_URL=nats://a:4222,nats://b:4222 works in both, or is refused.
#
# Seen on 2026-11-28, with one server at PORT and nothing at port 1:
#   JavaScript, nats://127.0.0.1:1,nats://127.0.0.1:PORT: connected
#   JavaScript, nats://127.0.0.1:PORT,nats://127.0.0.1:1: connection refused
#   JavaScript, the second as a list: connected
#   Go, nats://127.0.0.1:PORT,nats://127.0.0.1:1: connected
#   Go, nats://127.0.0.1:1,nats://127.0.0.1:PORT: connected
set -euo pipefail
folder=$(mktemp -d)
server=
trap 'kill "$server" 2>/dev/null || true; chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"

apt-get download -qq nats-server 2>/dev/null
dpkg -x nats-server_*.deb .
usr/sbin/nats-server -a 127.0.0.1 -p -1 --ports_file_dir . >server.log 2>&1 &
server=$!
until ls ./*.ports >/dev/null 2>&1; do sleep 0.1; done
port=$(grep -ho '127.0.0.1:[0-9]*' ./*.ports | head -1 | cut -d: -f2)

npm install --silent --no-audit --no-fund --prefix js @nats-io/transport-node@3.4.0
cat >js/try.mjs <<'JS'
import { connect } from '@nats-io/transport-node';
const [one, other] = ['nats://127.0.0.1:1', `nats://127.0.0.1:${process.argv[2]}`];
for (const [name, servers] of Object.entries({
  'JS gone,here': `${one},${other}`,
  'JS here,gone': `${other},${one}`,
  'JS list': [other, one],
})) {
  const seen = await connect({ servers, maxReconnectAttempts: 1 }).then(
    async (connection) => {
      await connection.close();
      return 'connected';
    },
    ({ message }) => message,
  );
  console.log(`${name}: ${seen}`);
}
JS
node js/try.mjs "$port" >seen.txt

mkdir go
cd go
cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"

	"github.com/nats-io/nats.go"
)

func main() {
	gone, here := "nats://127.0.0.1:1", "nats://127.0.0.1:"+os.Args[1]
	for name, servers := range map[string]string{"Go gone,here": gone + "," + here, "Go here,gone": here + "," + gone} {
		connection, err := nats.Connect(servers)
		if err != nil {
			fmt.Printf("%s: %v\n", name, err)
			continue
		}
		connection.Close()
		fmt.Printf("%s: connected\n", name)
	}
}
GO
go mod init seen >/dev/null 2>&1
GOPATH="$folder/gopath" go get github.com/nats-io/nats.go@v1.55.0 >/dev/null 2>&1
GOPATH="$folder/gopath" go run . "$port" | sort >>../seen.txt
cd ..
cat seen.txt

diff seen.txt - <<'EXPECTED'
JS gone,here: connected
JS here,gone: connection refused
JS list: connected
Go gone,here: connected
Go here,gone: connected
EXPECTED
