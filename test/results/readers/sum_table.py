"""Adds up the counts of a timeline.csv by phase and operation, and writes them as JSON."""

import csv
import json
import sys
from datetime import datetime

COUNTS = ["planned", "started", "dropped", "succeeded", "failed", "sent_bytes", "received_bytes"]

sums = {}
with open(sys.argv[1], newline="", encoding="utf-8") as file:
    for row in csv.DictReader(file, strict=True):
        assert None not in row and None not in row.values(), row
        assert datetime.fromisoformat(row["timestamp"].replace("Z", "+00:00")).tzinfo is not None
        into = sums.setdefault(f"{row['phase']} {row['operation']}", [0] * len(COUNTS))
        for place, name in enumerate(COUNTS):
            into[place] += int(row[name])
json.dump(sums, sys.stdout)
