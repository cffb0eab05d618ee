import type { LoggedTime } from './log-time.ts';

type ByteRange = { bytes: Buffer; from: number; to: number };

/** What a line says of a request. One object is used for all lines: a log has millions. */
export type LoggedRequest = LoggedTime & {
  /** Whether the time is that of the first byte of the request, as in Apache; else the request ended then. */
  isStart: boolean;
  /** An index of `ENDPOINTS`, if an agent's request; else -1. */
  endpoint: number;
  /** Status of the answer; 0: unknown. */
  status: number;
  /** Microseconds from the first byte of the request to the end of the answer; -1: unknown. */
  durationUs: number;
  /** Bytes of the request; 0: unknown. */
  sizeBytes: number;
  /** Where the address of the agent is, if a request of one. */
  client: ByteRange;
  /** While a line is read: the fields from which `client` and `endpoint` follow. */
  readonly fields: RequestFields;
  /** The field that did not match in the line that was not understood last, and where. */
  readonly failure: { name: string; offset: number };
};

type RequestFields = {
  clientFrom: number;
  clientTo: number;
  forwardedFrom: number;
  forwardedTo: number;
  isPost: boolean;
};

export function emptyRequest(): LoggedRequest {
  return {
    atUs: 0,
    isWholeSecond: false,
    zoneMinutes: undefined,
    isStart: false,
    endpoint: -1,
    status: 0,
    durationUs: -1,
    sizeBytes: 0,
    client: { bytes: Buffer.alloc(0), from: 0, to: 0 },
    fields: { clientFrom: 0, clientTo: 0, forwardedFrom: 0, forwardedTo: 0, isPost: true },
    failure: { name: '', offset: 0 },
  };
}

/** Before the next line. */
export function resetRequest(request: LoggedRequest): void {
  const { fields } = request;
  request.endpoint = -1;
  request.status = 0;
  request.durationUs = -1;
  request.sizeBytes = 0;
  fields.forwardedTo = 0;
  fields.clientTo = 0;
  fields.isPost = true;
}

/** Notes what was expected where. */
export function failAt({ failure }: LoggedRequest, name: string, offset: number): false {
  failure.name = name;
  failure.offset = offset;
  return false;
}

/** The whole line is known to be one: its client is the first address that proxies passed on, or else the one that connected. */
export function completeRequest(bytes: Buffer, request: LoggedRequest): true {
  const { client, fields } = request;
  if (!fields.isPost) request.endpoint = -1;
  client.bytes = bytes;
  if (fields.forwardedTo > fields.forwardedFrom) {
    client.from = fields.forwardedFrom;
    client.to = fields.forwardedTo;
  } else {
    client.from = fields.clientFrom;
    client.to = fields.clientTo;
  }
  return true;
}
