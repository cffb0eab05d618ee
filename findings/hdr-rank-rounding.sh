#!/usr/bin/env bash
# The same 60 values have two 99th percentiles in ports of HdrHistogram: JavaScript's hdr-histogram-js 3.0.1 rounds the rank of a
# percentile up (0.99 * 60 = 59.4 -> the 60th value), Python's hdrhistogram 0.10.8 and Go's hdrhistogram-go 1.2.0 to the nearest (the 59th).
#
# One would guess that ports of one library agree on a percentile, as they agree on every count.
#
# Seen on 2026-11-28, for the values 1 to 59 and 1000:
#   JavaScript 3.0.1: p99 1000
#   Python 0.10.8: p99 59
#   Go 1.2.0: p99 59
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-audit --no-fund --prefix js hdr-histogram-js@3.0.1
cat >js/p99.cjs <<'JS'
const { build } = require('hdr-histogram-js');
const histogram = build({ numberOfSignificantValueDigits: 3 });
for (let value = 1; value < 60; value++) histogram.recordValue(value);
histogram.recordValue(1000);
console.log(`JavaScript 3.0.1: p99 ${histogram.getValueAtPercentile(99)}`);
JS
node js/p99.cjs >seen.txt

python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --target python hdrhistogram==0.10.8
PYTHONPATH=python python3 - >>seen.txt <<'PYTHON'
from hdrh.histogram import HdrHistogram
histogram = HdrHistogram(1, 10000, 3)
for value in [*range(1, 60), 1000]:
    histogram.record_value(value)
print("Python 0.10.8: p99", histogram.get_value_at_percentile(99))
PYTHON

mkdir go
cat >go/main.go <<'GO'
package main

import (
	"fmt"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

func main() {
	histogram := hdr.New(1, 10000, 3)
	for value := int64(1); value < 60; value++ {
		histogram.RecordValue(value)
	}
	histogram.RecordValue(1000)
	fmt.Println("Go 1.2.0: p99", histogram.ValueAtQuantile(99))
}
GO
(cd go && go mod init p99 && go get github.com/HdrHistogram/hdrhistogram-go@v1.2.0 && go mod tidy) >/dev/null 2>&1
go run -C go . >>seen.txt

cat seen.txt
diff seen.txt - <<'SEEN'
JavaScript 3.0.1: p99 1000
Python 0.10.8: p99 59
Go 1.2.0: p99 59
SEEN
