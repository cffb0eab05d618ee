import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openIdentityStore } from '../../src/base/storage/identity-store.ts';
import { type OperationSummary, summarySchema } from '../../src/metrics/summary/summary-schema.ts';
import { uuidOf } from '../../src/wire/agent/identity.ts';
import type { Client, Place } from './client.ts';
import { PASSWORD, PROFILE, SEED, type Size } from './one-push.ts';

const IDENTITIES = 'identities.db';
const MAIN = resolve(import.meta.dirname, '../../src/main.ts');

export type Fleet = {
  readonly agents: number;
  readonly payload: Size;
  /** `concurrency`, `rate` or `every`, as in a scenario. */
  readonly checkdata: object;
  /** Connections that the fleet shares. If `undefined`, each agent has its own. */
  readonly shared?: number;
  /** Verifies the certificate, as agents must to speak HTTP/2 with a sink of this kind. */
  readonly http2?: boolean;
};

/** The whole program, with one worker. `sets` are `path=value`, and part of its name. */
export function muster(fleet: Fleet, sets: readonly string[] = []): Client {
  return {
    name: [fleet.http2 === true ? 'muster, HTTP/2' : 'muster', ...sets].join(' '),
    command: (place) => {
      const file = writeScenario(fleet, place);
      registerAll(fleet.agents, place);
      const flags = ['--workers', '1', '--out', place.folder, '--quiet', '--json'];
      return [process.execPath, '--', MAIN, 'run', file, ...flags, ...sets.flatMap((set) => ['--set', set])];
    },
  };
}

/** Plans the same fleet, without traffic. */
export function planCommand(fleet: Fleet, place: Place): readonly string[] {
  return [process.execPath, '--', MAIN, 'plan', writeScenario(fleet, place)];
}

/** Writes the scenario and returns its file. */
function writeScenario(fleet: Fleet, { url, ca, folder, seconds, warmUpSeconds }: Place): string {
  const file = join(folder, 'bench.yaml');
  const { agents, payload, checkdata, shared } = fleet;
  const scenario = {
    name: 'bench',
    target: { url, ...(fleet.http2 === true && { tls: { verify: true, ca } }) },
    fleet: {
      agents,
      seed: SEED,
      profiles: { [PROFILE]: 1 },
      payload,
      identities: join(folder, IDENTITIES),
      connections: shared === undefined ? 'per-agent' : { shared },
    },
    // In a closed loop the generator is meant to run at its limit.
    validity: { workerBusy: '100%', garbageCollection: '100%' },
    phases: [
      { name: 'warm-up', duration: `${warmUpSeconds}s`, exclude: true, checkdata },
      { name: 'push', duration: `${seconds - warmUpSeconds}s`, checkdata },
    ],
  };
  // JSON is valid YAML.
  writeFileSync(file, JSON.stringify(scenario));
  return file;
}

/** The sink cannot issue passwords, so the agents have them already. In the order of the file's key, inserting a million takes seconds. */
function registerAll(agents: number, { url, folder }: Place): void {
  const uuids = Array.from({ length: agents }, (_, agent) => uuidOf(SEED, agent)).sort();
  const store = openIdentityStore(join(folder, IDENTITIES));
  store.save(
    url,
    uuids.map((uuid) => ({ uuid, password: PASSWORD })),
  );
  store.close();
}

/**
 * Muster's summary of its pushes.
 * @throws Error if any failed, because then something else was measured.
 */
export function pushesOf(stdout: string, note: (text: string) => void): OperationSummary {
  const { overall, verdict } = summarySchema.parse(JSON.parse(stdout));
  const pushes = overall.find(({ operation }) => operation === 'checkdata');
  if (pushes === undefined || pushes.failed > 0) throw new Error('not every push was answered');
  if (verdict.reasons.length > 0) note(`A run of Muster's was not valid: ${verdict.reasons[0]?.text}.`);
  return pushes;
}
