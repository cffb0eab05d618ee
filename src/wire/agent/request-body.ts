import { escapeLikeGo, quote } from '../../ground/protocol/go-json.ts';
import type { PayloadWriter } from '../../hosts/payloads.ts';
import { identityOf } from './identity.ts';

/** The input for any request body of an agent. `agent` is its index in the fleet. */
export type RequestSubject =
  | {
      readonly operation: 'register' | 'authorize';
      readonly agent: number;
      readonly uuid: string;
      readonly password: string;
    }
  | {
      readonly operation: 'checkdata' | 'packages';
      readonly agent: number;
      readonly signature: string;
      /** Unix time in milliseconds of the end of the check run or the start of the collection. */
      readonly instantMs: number;
      /** Start of the package collection that a check run reports, see `PayloadWriter`. */
      readonly collectionMs: number | undefined;
    };

const CHECKDATA_KEY = '{"checkdata":';
const ENVELOPE_BYTES = 1024;
/** Maximum number of bytes per character. */
const UTF8_BYTES = 3;

/** The end of a document from the agent with this uuid. */
export function signature(uuid: string, password: string): string {
  return `,"agentuuid":"${uuid}","password":${quote(password)}}`;
}

/** Maximum size of the body in bytes. */
export function bodyRoomBytes(subject: RequestSubject, payloads: PayloadWriter): number {
  switch (subject.operation) {
    case 'register':
    case 'authorize':
      return ENVELOPE_BYTES + ESCAPED_BYTES * subject.password.length;
    case 'checkdata':
      return payloads.checkdataRoomBytes(subject.agent) + envelopeBytes(subject.signature);
    case 'packages':
      return payloads.packagesRoomBytes(subject.agent) + envelopeBytes(subject.signature);
  }
}

/** Maximum number of bytes per character of a password: a six-byte escape. */
const ESCAPED_BYTES = 6;

function envelopeBytes(signed: string): number {
  return CHECKDATA_KEY.length + UTF8_BYTES * signed.length;
}

/** Writes a request's JSON body at `offset`, with the keys in the order of docs/reference/wire.md, "Requests". Returns the end. */
export function writeRequestBody(
  subject: RequestSubject,
  { seed, payloads }: { readonly seed: number; readonly payloads: PayloadWriter },
  { out, offset }: { readonly out: Buffer; readonly offset: number },
): number {
  switch (subject.operation) {
    case 'register':
    case 'authorize':
      return offset + out.write(registrationBody(subject, seed), offset, 'utf8');
    case 'checkdata': {
      const { agent, instantMs, collectionMs, signature: signed } = subject;
      const start = offset + out.write(CHECKDATA_KEY, offset, 'latin1');
      const end = payloads.writeCheckdata(out, start, agent, instantMs, collectionMs);
      return end + out.write(signed, end, 'utf8');
    }
    case 'packages': {
      const start = offset + out.write(CHECKDATA_KEY, offset, 'latin1');
      const end = payloads.writePackages(out, start, subject.agent, subject.instantMs);
      return end + out.write(subject.signature, end, 'utf8');
    }
  }
}

type Registration = Extract<RequestSubject, { readonly uuid: string }>;

function registrationBody({ uuid, password, agent }: Registration, seed: number): string {
  const { hostName, address } = identityOf(seed, agent);
  return escapeLikeGo(JSON.stringify({ agentuuid: uuid, password, hostname: hostName, ipaddress: address }));
}
