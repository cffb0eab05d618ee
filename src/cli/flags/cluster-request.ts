import { UserError } from '../../ground/kernel/errors.ts';
import { parseDuration } from '../../ground/kernel/units.ts';
import type { Variables } from '../../scenario/reading/variables.ts';
import type { MachinesFlags } from './cluster-flags.ts';
import { onlyOne, variableOf } from './common.ts';

/** The validated cluster flags. */
export type ClusterRequest = {
  readonly url: string;
  /** `undefined` for a resumed run, which keeps its number. */
  readonly machines: number | undefined;
  readonly replace: boolean;
  readonly replicas: number;
  readonly waitMs: number;
  /** Name of the run to resume, or to start if it does not exist; `undefined` for a new run. */
  readonly resume: string | undefined;
};

/** Validates the cluster flags; `undefined` without a cluster. Throws `UserError` for invalid flags. */
export function clusterRequest(
  flags: MachinesFlags & { readonly resume: string | undefined },
  environment: Variables,
): ClusterRequest | undefined {
  const url = onlyOne('cluster', flags.cluster) ?? variableOf('cluster', environment).value;
  const resume = onlyOne('resume', flags.resume);
  if (url === undefined) {
    const [flag] = (['machines', 'resume'] as const).filter((name) => flags[name] !== undefined);
    if (flag === undefined) return undefined;
    throw new UserError(`--${flag} needs a cluster: add its NATS server with --cluster nats://127.0.0.1:4222.`);
  }
  const machines = onlyOne('machines', flags.machines) ?? variableOf('machines', environment).value;
  if (resume !== undefined && !RUN_NAME.test(resume))
    throw unexpected('resume', 'the name of a run: up to 100 letters, digits, dashes and underscores', resume);
  if (machines === undefined && resume === undefined)
    throw new UserError('--cluster: expected the number of machines, found none; add --machines 3.');
  return {
    ...{ url, resume, replace: flags.replace },
    machines: machineCount(machines),
    replicas: replicasOf(onlyOne('replicas', flags.replicas)),
    waitMs: waitOf(onlyOne('wait', flags.wait)),
  };
}

const RUN_NAME = /^[A-Za-z0-9_-]{1,100}$/;

/** Throws `UserError` for anything but a number of machines. */
export function machineCount(text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,3}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw unexpected('machines', 'a whole number from 1 to 9999', text);
}

function replicasOf(text: string): number {
  if (['1', '3', '5'].includes(text)) return Number(text);
  throw unexpected('replicas', '1, 3 or 5', text);
}

function waitOf(text: string): number {
  const waitMs = parseDuration(text);
  if (waitMs !== undefined && waitMs > 0) return waitMs;
  throw unexpected('wait', 'a duration such as 60s', text);
}

function unexpected(flag: string, expected: string, found: string): UserError {
  return new UserError(`--${flag}: expected ${expected}, found ${JSON.stringify(found)}`);
}
