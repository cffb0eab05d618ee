import { UserError } from '../../base/kernel/errors.ts';
import { counted } from '../../base/kernel/units.ts';
import type { FleetAnswer } from '../../staging/control-api/schemas.ts';
import { confirm, type Io } from '../io.ts';
import type { ControlClient } from './client.ts';
import type { FleetAccess, FleetChoice } from './find-fleet.ts';

/** A command for a running fleet, with a client of its control API. */
export type CtlRequest<Flags = FleetChoice> = {
  readonly access: FleetAccess;
  readonly client: ControlClient;
  readonly flags: Flags;
  readonly io: Io;
};

/** Prints an answer as JSON or as text. */
export function show<T>(
  answer: T,
  { flags, io }: CtlRequest<{ readonly json: boolean }>,
  textOf: (answer: T, columns: number) => string,
): void {
  const text = flags.json ? JSON.stringify(answer) : textOf(answer, io.stdout.columns ?? Number.POSITIVE_INFINITY);
  io.stdout.write(`${text}\n`);
}

/** What an action would do, with what to write instead if nobody can be asked. */
type Effect = { readonly name: string; readonly agents: number; readonly remedy?: string };

/**
 * Asks before an action on more than half of the fleet.
 * @throws UserError if the answer is no, or nobody can be asked.
 */
export async function assertMeant(
  { name, agents, remedy = 'expected --yes, found none' }: Effect,
  { client, flags, io }: CtlRequest<{ readonly yes: boolean }>,
): Promise<void> {
  if (flags.yes) return;
  const { total } = (await client.get<FleetAnswer>('/api/v1/fleet')).agents;
  if (agents * 2 <= total) return;
  const effect = `${name} hits ${agents} of ${counted(total, 'agent')}, more than half of the fleet`;
  const answer = await confirm(`${effect}. Continue?`, io);
  if (answer === 'yes') return;
  if (answer === 'no') throw new UserError('Nothing was done.');
  throw new UserError(`${effect}: ${remedy}.`);
}
