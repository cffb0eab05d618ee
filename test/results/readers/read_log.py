"""Reads a histogram log with the HdrHistogram of PyPI: prints the sums of all tags, and the values of a percentile
distribution with its own counts."""

import json
import re
import sys

from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

HIGHEST = 3_600_000_000
PERCENTILES = (50, 75, 90, 95, 99, 99.9, 100)


def count_up_to(histogram, microseconds):
    items = histogram.get_recorded_iterator()
    return sum(item.count_added_in_this_iter_step for item in items if item.value_iterated_to <= microseconds)


log, wanted, distribution = sys.argv[1:]
reader = HistogramLogReader(log, HdrHistogram(1, HIGHEST, 3))
sums = {}
while (interval := reader.get_next_interval_histogram()) is not None:
    sums.setdefault(interval.get_tag(), HdrHistogram(1, HIGHEST, 3)).add(interval)

with open(distribution, encoding="utf-8") as file:
    values = re.findall(r"^ *([\d.]+) +[\d.]+ +\d+", file.read(), re.MULTILINE)
rows = [f"{value} 0 {count_up_to(sums[wanted], round(float(value) * 1000))}" for value in values]
tags = {
    tag: [histogram.get_total_count(), *(histogram.get_value_at_percentile(p) for p in PERCENTILES)] if histogram.get_total_count() else [0]
    for tag, histogram in sums.items()
}
print(json.dumps({"tags": tags, "distribution": "\n".join(rows)}))
