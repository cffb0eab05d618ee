"""Reads requests of OTLP from stdin, a JSON list of base64 texts, and writes what the official decoder makes of them."""

import base64
import json
import sys

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

requests = [ExportMetricsServiceRequest.FromString(base64.b64decode(text)) for text in json.load(sys.stdin)]
json.dump([MessageToDict(request) for request in requests], sys.stdout)
