import { ENDPOINTS } from '../../src/base/protocol/push.ts';
import { KNOWN_FORMATS } from '../../src/replay/known-formats.ts';
import type { LogFormat } from '../../src/replay/log-format.ts';
import { emptyRequest } from '../../src/replay/logged-request.ts';

/** A line as the format reads it; `undefined`: not understood. */
export function readLine(line: string, format: LogFormat = KNOWN_FORMATS) {
  const bytes = Buffer.from(line);
  const request = emptyRequest();
  if (!format.read(bytes, 0, bytes.length, request)) return undefined;
  const { atUs, isWholeSecond, zoneMinutes, endpoint, status, durationUs, sizeBytes, isStart, client } = request;
  return {
    atUs,
    isWholeSecond,
    zoneMinutes,
    status,
    durationUs,
    sizeBytes,
    isStart,
    endpoint: ENDPOINTS[endpoint],
    client: endpoint < 0 ? '' : client.bytes.toString('latin1', client.from, client.to),
  };
}

export const PUSH = 'POST /agentconnector/submit_checkdata.json HTTP/1.1';
/** 2026-01-31T12:00:00Z */
export const NOON_US = Date.UTC(2026, 0, 31, 12) * 1000;

/** A line of nginx's combined format. */
export function combined({ client = '192.0.2.1', second = 0, request = PUSH, status = 200 } = {}): string {
  const time = new Date(NOON_US / 1000 + second * 1000).toISOString();
  return `${client} - - [${time.slice(8, 10)}/Jan/2026:${time.slice(11, 19)} +0000] "${request}" ${status} 22 "-" "openITCOCKPIT Agent/3.6.1"`;
}
