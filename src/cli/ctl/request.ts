import { UserError } from '../../base/kernel/errors.ts';
import { counted } from '../../base/kernel/units.ts';
import type { FleetAnswer } from '../../staging/control-api/schemas.ts';
import type { CtlCommand, CtlFlags } from '../flags/ctl-flags.ts';
import { confirm, type Io } from '../io.ts';
import type { ControlClient } from './client.ts';
import type { FleetAccess } from './find-fleet.ts';

/** A command for a running fleet, with a client of its control API. */
export type CtlRequest = {
  readonly access: FleetAccess;
  readonly client: ControlClient;
  readonly flags: CtlFlags;
  readonly io: Io;
};

/** Prints an answer as JSON or as text. */
export function show<T>(answer: T, { flags, io }: CtlRequest, textOf: (answer: T, columns: number) => string): void {
  const text = flags.json ? JSON.stringify(answer) : textOf(answer, io.stdout.columns ?? Number.POSITIVE_INFINITY);
  io.stdout.write(`${text}\n`);
}

/** The argument of the command. @throws UserError if there is none */
export function argumentOf({ flags: { what, of } }: CtlRequest, expected: string): string {
  if (of !== undefined) return of;
  throw new UserError(`${what}: expected ${expected}, found nothing.`);
}

/**
 * Asks before an action on more than half of the fleet.
 * @throws UserError if the answer is no, or nobody can be asked.
 */
export async function assertMeant(action: string, agents: number, { client, flags, io }: CtlRequest): Promise<void> {
  if (flags.yes) return;
  const { total } = (await client.get<FleetAnswer>('/api/v1/fleet')).agents;
  if (agents * 2 <= total) return;
  const effect = `${action} hits ${agents} of ${counted(total, 'agent')}, more than half of the fleet`;
  const answer = await confirm(`${effect}. Continue?`, io);
  if (answer === 'yes') return;
  if (answer === 'no') throw new UserError('Nothing was done.');
  throw new UserError(`${effect}: ${REMEDIES[flags.what] ?? 'expected --yes, found none'}.`);
}

const REMEDIES: Readonly<Partial<Record<CtlCommand, string>>> = {
  do: 'expected --cohort all, a share, or --yes, found none of them',
  scale: 'expected a share such as 10%, or --yes, found a number of agents',
};
