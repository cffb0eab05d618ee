import type { PayloadWriter } from '../machine/payloads.ts';
import { escapeLikeGo, quote } from '../protocol/go-json.ts';
import type { Operation } from '../protocol/operations.ts';
import { PASSWORD_LENGTH } from '../protocol/push.ts';
import { identityOf } from './identity.ts';

/** Who sends what: enough to write any request body of the agent. */
export type RequestSubject = {
  readonly operation: Operation;
  /** Index in the fleet. */
  readonly agent: number;
  readonly uuid: string;
  readonly password: string;
  /** Unix time in milliseconds: of the check run's end, of the collection's beginning. */
  readonly instantMs: number;
  /** When the collection of packages began that a check run reports, see `PayloadWriter`. */
  readonly collectionMs: number | undefined;
};

const CHECKDATA_KEY = '{"checkdata":';
const ENVELOPE_BYTES = 1024;
/** A character of a password takes up to so many bytes: an escape of six. */
const ESCAPED_BYTES = 6;

/** No body of the subject takes more bytes, with a password of any length. */
export function bodyRoomBytes({ operation, agent, password }: BodySubject, payloads: PayloadWriter): number {
  const passwordBytes = ESCAPED_BYTES * Math.max(0, password.length - PASSWORD_LENGTH);
  return documentRoomBytes(operation, agent, payloads) + ENVELOPE_BYTES + passwordBytes;
}

type BodySubject = Pick<RequestSubject, 'operation' | 'agent' | 'password'>;

function documentRoomBytes(operation: Operation, agent: number, payloads: PayloadWriter): number {
  switch (operation) {
    case 'register':
    case 'authorize':
      return 0;
    case 'checkdata':
      return payloads.checkdataRoomBytes(agent);
    case 'packages':
      return payloads.packagesRoomBytes(agent);
    default:
      return withoutBody(operation);
  }
}

/** Writes a request's JSON body at `offset`, keys in the order of docs/protocol.md, "Requests". Returns the end. */
export function writeRequestBody(
  subject: RequestSubject,
  { seed, payloads }: { readonly seed: number; readonly payloads: PayloadWriter },
  { out, offset }: { readonly out: Buffer; readonly offset: number },
): number {
  const { operation, agent, instantMs, collectionMs } = subject;
  switch (operation) {
    case 'register':
    case 'authorize':
      return offset + out.write(registrationBody(subject, seed), offset, 'utf8');
    case 'checkdata': {
      const start = offset + out.write(CHECKDATA_KEY, offset, 'latin1');
      return writeTail(subject, out, payloads.writeCheckdata(out, start, agent, instantMs, collectionMs));
    }
    case 'packages': {
      const start = offset + out.write(CHECKDATA_KEY, offset, 'latin1');
      return writeTail(subject, out, payloads.writePackages(out, start, agent, instantMs));
    }
    default:
      return withoutBody(operation);
  }
}

function writeTail({ uuid, password }: RequestSubject, out: Buffer, offset: number): number {
  return offset + out.write(`,"agentuuid":"${uuid}","password":${quote(password)}}`, offset, 'utf8');
}

/** Without its own case in the switches above, a new operation does not compile. */
function withoutBody(operation: never): never {
  throw new Error(`the request of ${String(operation)} has no body`);
}

function registrationBody({ uuid, password, agent }: RequestSubject, seed: number): string {
  const { hostName, address } = identityOf(seed, agent);
  return escapeLikeGo(JSON.stringify({ agentuuid: uuid, password, hostname: hostName, ipaddress: address }));
}
