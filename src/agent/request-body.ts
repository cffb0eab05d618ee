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
  /** When the collection began that a check run tells of, see `PayloadWriter`. */
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
  if (operation === 'checkdata') return payloads.checkdataRoomBytes(agent);
  return operation === 'packages' ? payloads.packagesRoomBytes(agent) : 0;
}

/** Writes a request's JSON body at `offset`, keys in the order of docs/protocol.md, "Requests". Returns the end. */
export function writeRequestBody(
  subject: RequestSubject,
  source: { readonly seed: number; readonly payloads: PayloadWriter },
  target: { readonly out: Buffer; readonly offset: number },
): number {
  const { out, offset } = target;
  if (subject.operation === 'register' || subject.operation === 'authorize') {
    return offset + out.write(registrationBody(subject, source.seed), offset, 'utf8');
  }
  const documentStart = offset + out.write(CHECKDATA_KEY, offset, 'latin1');
  const { agent, instantMs, collectionMs } = subject;
  const documentEnd =
    subject.operation === 'checkdata'
      ? source.payloads.writeCheckdata(out, documentStart, agent, instantMs, collectionMs)
      : source.payloads.writePackages(out, documentStart, agent, instantMs);
  const tail = `,"agentuuid":"${subject.uuid}","password":${quote(subject.password)}}`;
  return documentEnd + out.write(tail, documentEnd, 'utf8');
}

function registrationBody({ uuid, password, agent }: RequestSubject, seed: number): string {
  const { hostName, address } = identityOf(seed, agent);
  return escapeLikeGo(JSON.stringify({ agentuuid: uuid, password, hostname: hostName, ipaddress: address }));
}
