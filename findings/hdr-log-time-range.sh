#!/usr/bin/env bash
# A reader of HdrHistogram's logs takes a time range in seconds since the log's start. Java and Python return the intervals in it. Go's
# hdrhistogram-go 1.4.0 returns none of any log, and JavaScript's hdr-histogram-js 3.0.1 none of a log with absolute timestamps, which its
# own writer writes: Go adds the start time to a timestamp instead of subtracting it, and JavaScript compares timestamps as they stand.
#
# One would guess that "the first two seconds" of a log are the same intervals in each port, and not silently none.
#
# Seen on 2026-11-29, for a log of five seconds and the range from 0 to 1.5 s:
#   absolute timestamps: Java 2, Python 2, JavaScript 0, Go 0
#   relative timestamps: Java 2, Python 2, JavaScript 2, Go 0
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"

npm install --silent --no-audit --no-fund --prefix js hdr-histogram-js@3.0.1
cat >js/write.cjs <<'JS'
const { build, HistogramLogWriter } = require('hdr-histogram-js');
const startMs = Date.UTC(2026, 0, 1);
const writer = new HistogramLogWriter((text) => process.stdout.write(text));
writer.outputStartTime(startMs);
if (process.argv[2] === 'relative') {
  writer.baseTime = startMs;
  writer.outputComment(`[BaseTime: ${startMs / 1000}.000 (seconds since epoch)]`);
}
for (let second = 0; second < 5; second++) {
  const histogram = build({ numberOfSignificantValueDigits: 3 });
  histogram.recordValue(1000);
  histogram.startTimeStampMsec = startMs + 1000 * second;
  histogram.endTimeStampMsec = startMs + 1000 * (second + 1);
  writer.outputIntervalHistogram(histogram);
}
JS
cat >js/read.cjs <<'JS'
const { HistogramLogReader } = require('hdr-histogram-js');
const reader = new HistogramLogReader(require('node:fs').readFileSync(process.argv[2], 'utf8'));
let intervals = 0;
while (reader.nextIntervalHistogram(0, 1.5) !== null) intervals++;
console.log(intervals);
JS

mvn -q -B dependency:copy -Dartifact=org.hdrhistogram:HdrHistogram:2.2.2 -DoutputDirectory=. >/dev/null 2>&1

python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --target python hdrhistogram==0.10.8
cat >read.py <<'PYTHON'
import sys
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
reader = HistogramLogReader(sys.argv[1], HdrHistogram(1, 10000, 3))
intervals = 0
while reader.get_next_interval_histogram(0, 1.5) is not None:
    intervals += 1
print(intervals)
PYTHON

mkdir go
cat >go/main.go <<'GO'
package main

import (
	"fmt"
	"os"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	reader := hdr.NewHistogramLogReader(file)
	intervals := 0
	for {
		absolute := false
		histogram, err := reader.NextIntervalHistogramWithRange(0, 1.5, absolute)
		if err != nil {
			panic(err)
		}
		if histogram == nil {
			break
		}
		intervals++
	}
	fmt.Println(intervals)
}
GO
export GOPATH="$folder/gopath"
(cd go && go mod init read && go get github.com/HdrHistogram/hdrhistogram-go@v1.4.0 && go mod tidy && go build -o ../read) >/dev/null 2>&1

for kind in absolute relative; do
  node js/write.cjs "$kind" >"$kind.hlog"
  java=$(java -cp HdrHistogram-2.2.2.jar org.HdrHistogram.HistogramLogProcessor -i "$kind.hlog" -start 0 -end 1.5 |
    sed -n 's/.*Total count *= *\([0-9]*\).*/\1/p')
  echo "$kind timestamps: Java $java, Python $(PYTHONPATH=python python3 read.py "$kind.hlog")," \
    "JavaScript $(node js/read.cjs "$kind.hlog"), Go $(./read "$kind.hlog")"
done | tee seen.txt

diff seen.txt - <<'SEEN'
absolute timestamps: Java 2, Python 2, JavaScript 0, Go 0
relative timestamps: Java 2, Python 2, JavaScript 2, Go 0
SEEN
