#!/usr/bin/env bash
# gorilla/mux 1.8.1 answers the first bytes of HTTP/2, `PRI * HTTP/2.0`, with a redirect in HTTP/1.1: net/http hands this request to the
# handler of a server without HTTP/2, and mux cleans the path `*` to `/*`. An ordinary request with HTTP/2.0 in its line gets 505.
#
# One would guess 505 for both, or that the connection ends.
#
# Seen on 2026-11-28 with Go 1.26:
#   PRI: HTTP/1.1 301 Moved Permanently, Location: /%2A
#   GET: HTTP/1.1 505 HTTP Version Not Supported: unsupported protocol version
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export GOFLAGS="-mod=mod -modcacherw" GOPATH="$folder/go"

cat >go.mod <<'MOD'
module preface
go 1.23
require github.com/gorilla/mux v1.8.1
MOD
cat >main.go <<'GO'
package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/gorilla/mux"
)

func main() {
	router := mux.NewRouter()
	router.Path("/").Methods("GET").HandlerFunc(func(w http.ResponseWriter, r *http.Request) {})
	server := httptest.NewServer(router)
	defer server.Close()
	for _, head := range []string{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/2.0\r\nHost: x\r\n\r\n"} {
		connection, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			panic(err)
		}
		fmt.Fprint(connection, head)
		lines := bufio.NewScanner(connection)
		lines.Scan()
		fmt.Printf("%s: %s", head[:3], lines.Text())
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "Location") {
				fmt.Printf(", %s", lines.Text())
			}
		}
		fmt.Println()
		connection.Close()
	}
}
GO
go run . | tee seen.txt
diff seen.txt - <<'SEEN'
PRI: HTTP/1.1 301 Moved Permanently, Location: /%2A
GET: HTTP/1.1 505 HTTP Version Not Supported: unsupported protocol version
SEEN
