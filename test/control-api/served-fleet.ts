import type { AgentsAtWork } from '../../src/control-api/controlled-fleet.ts';
import { type ControlledRun, createControlledRun, type RunAtWork } from '../../src/control-api/controlled-run.ts';
import { type ControlApi, startControlApi } from '../../src/control-api/server.ts';
import { dashboardFiles } from '../../src/dashboard/files.ts';
import { type Shard, shareOf, WHOLE_FLEET } from '../../src/load/shard.ts';
import { readHostData } from '../../src/storage/host-data.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';

export const TOKEN = 'the token of this fleet';

/** A fleet that is not up, and what its agents say is made up: the API cannot tell. */
export type ServedFleet = {
  readonly api: ControlApi;
  readonly run: ControlledRun;
  /** The answer to a request with the token; `init` is laid over it. */
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>;
};

const open: ControlApi[] = [];

export function closeServed(): void {
  for (const api of open.splice(0)) api.close();
}

type Wanted = {
  readonly agents?: number;
  readonly events?: string;
  readonly shard?: Shard;
  readonly host?: string;
  /** It is not up yet. */
  readonly raising?: boolean;
};

export async function serveFleet(
  { agents = 40, events = '[]', shard = WHOLE_FLEET, host = '127.0.0.1', raising = false }: Wanted = {},
  work: Partial<AgentsAtWork & Omit<RunAtWork, 'agents'>> = {},
): Promise<ServedFleet> {
  const scenario = scenarioOf(
    `name: served\nfleet: { agents: ${agents}, seed: 7, profiles: { ubuntu-24.04: 2, windows-11: 1 }, payload: lean }\n` +
      `phases: [{ name: steady, duration: 1h, checkdata: { every: 30s } }]\nevents: ${events}\n`,
  );
  const run = createControlledRun(scenario, shard);
  const nobody = async () => Promise.reject(new Error('nobody asks for it here'));
  const { addEvent = nobody, endEvent = nobody, ...further } = work;
  if (!raising)
    run.attach({
      ...{ addEvent, endEvent },
      agents: {
        conditions: async () => new Uint8Array(shareOf(shard, agents)).map((_, place) => place % 5),
        ...{ assumedUuids: async () => new Map(), changes: nobody, standing: nobody, document: nobody },
        ...further,
      },
    });
  const api = await startControlApi(
    { host, port: 0 },
    { token: TOKEN, page: async () => dashboardFiles(), hostData: readHostData },
    run.fleet,
  );
  open.push(api);
  const ask: ServedFleet['ask'] = (path, init = {}) =>
    fetch(`${api.url}${path}`, { ...init, headers: { authorization: `Bearer ${TOKEN}`, ...init.headers } });
  return { api, run, ask };
}
