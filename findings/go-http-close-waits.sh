#!/usr/bin/env bash
# A Go server (net/http) that answers a request with `Expect: 100-continue` before it has read the body announces `Connection: close`, but
# keeps the connection open until the body comes or its ReadTimeout is over: it waits to discard a body that the client holds back.
#
# One would guess that the connection ends with an answer that says so. A client that reads to the end of the connection waits.
#
# Seen on 2026-11-28 with Go 1.26.8 and a ReadTimeout of 3 s:
#   HTTP/1.1 404 Not Found, Connection: close true, answered at once true, closed at once false, closed after 3 s
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >main.go <<'GO'
package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"time"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go (&http.Server{Handler: http.NotFoundHandler(), ReadTimeout: 3 * time.Second}).Serve(listener)
	connection, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		panic(err)
	}
	started := time.Now()
	fmt.Fprint(connection, "POST /x HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
	reader := bufio.NewReader(connection)
	answer, err := http.ReadResponse(reader, nil)
	if err != nil {
		panic(err)
	}
	answered := time.Since(started)
	for err == nil {
		_, err = reader.ReadByte()
	}
	closed := time.Since(started)
	fmt.Printf("%s %s, Connection: close %v, answered at once %v, closed at once %v, closed after %d s\n", answer.Proto, answer.Status,
		answer.Close, answered < time.Second, closed < time.Second, int(closed.Seconds()))
}
GO
go run main.go | tee seen.txt
diff seen.txt - <<'SEEN'
HTTP/1.1 404 Not Found, Connection: close true, answered at once true, closed at once false, closed after 3 s
SEEN
