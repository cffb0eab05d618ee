import { describe, expect, it } from 'vitest';
import { OPERATIONS, type Operation } from '../../../src/base/protocol/operations.ts';
import type { PayloadWriter } from '../../../src/hosts/payloads.ts';
import { type RequestSubject, requestBody, signature } from '../../../src/wire/agent/request.ts';

const PAYLOADS: PayloadWriter = {
  checkdataRoomBytes: () => 10_000,
  packagesRoomBytes: () => 20_000,
  writeCheckdata: (out, offset) => offset + out.write('"checks"', offset),
  writePackages: (out, offset) => offset + out.write('"packages"', offset),
  writeServedPackages: (_out, offset) => offset,
  buffer: (sizeBytes) => Buffer.alloc(sizeBytes),
  nextOutage: () => undefined,
  checkRunMs: () => 0,
};
const SOURCE = { seed: 1, payloads: PAYLOADS };
const WHO = { agent: 0, uuid: 'its-uuid', password: 'pass' };
const REPORT = { agent: 0, signature: signature('its-uuid', 'pass'), instantMs: 0, collectionMs: undefined };

function subjectOf(operation: Operation): RequestSubject {
  return operation === 'register' || operation === 'authorize' ? { operation, ...WHO } : { operation, ...REPORT };
}

function bodyOf(operation: Operation): Record<string, unknown> {
  const out = Buffer.alloc(2000);
  const end = requestBody(subjectOf(operation), SOURCE).write(out, 7);
  return JSON.parse(out.toString('utf8', 7, end));
}

describe('the body of a request', () => {
  it('is different for each operation', () => {
    const who = { agentuuid: 'its-uuid', password: 'pass' };
    const host = { hostname: expect.any(String), ipaddress: expect.any(String) };
    expect(Object.fromEntries(OPERATIONS.map((operation) => [operation, bodyOf(operation)]))).toEqual({
      register: { ...who, ...host },
      authorize: { ...who, ...host },
      checkdata: { ...who, checkdata: 'checks' },
      packages: { ...who, checkdata: 'packages' },
    });
  });

  it('reserves room for the document of its operation, or none without a document', () => {
    const rooms = OPERATIONS.map((operation) => requestBody(subjectOf(operation), SOURCE).roomBytes);
    expect(rooms.map((bytes) => Math.floor(bytes / 10_000))).toEqual([0, 0, 1, 2]);
  });
});
