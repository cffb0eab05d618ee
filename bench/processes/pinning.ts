import { readFileSync } from 'node:fs';
import { missingOf } from './programs.ts';

/** The two sides of a measurement, each on its own core. */
export type Side = 'client' | 'sink';

const CORES = missingOf(['taskset']).length > 0 ? [] : coresOf(allowedList());
const [CLIENT_CORE, SINK_CORE] = CORES;

/** Tells the reader where processes ran. */
export const PINNING =
  SINK_CORE === undefined
    ? 'Not pinned: there is no taskset, or only one core; client and server may take turns on a core.'
    : `Pinned with taskset: the client on core ${CLIENT_CORE}, the server on core ${SINK_CORE}.`;

/** The command on the core of its side, if processes can be pinned. */
export function pinned(side: Side, command: readonly string[]): readonly [string, ...string[]] {
  const [program = '', ...args] = command;
  if (SINK_CORE === undefined) return [program, ...args];
  return ['taskset', '-c', String(side === 'client' ? CLIENT_CORE : SINK_CORE), program, ...args];
}

/** Parses lists such as `0-1,4`: cores 0, 1 and 4. */
export function coresOf(list: string): readonly number[] {
  return list.split(',').flatMap((part) => {
    const [first = Number.NaN, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });
}

function allowedList(): string {
  return /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
}
