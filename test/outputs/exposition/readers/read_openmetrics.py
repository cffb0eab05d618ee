"""Reads OpenMetrics from stdin, strictly, and writes types and samples as JSON."""

import json
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families

families = list(text_string_to_metric_families(sys.stdin.read()))
samples = [[sample.name, sample.labels, float(sample.value)] for family in families for sample in family.samples]
json.dump({"types": {family.name: family.type for family in families}, "samples": samples}, sys.stdout)
