import type { FleetEvent } from '../../../src/load/events/event.ts';
import { type Shard, shareOf, WHOLE_FLEET } from '../../../src/load/shard.ts';
import type { TimelineFrame } from '../../../src/metrics/merging/timeline.ts';
import { type Health, readHealth } from '../../../src/metrics/recording/health-reading.ts';
import type { LiveAgents } from '../../../src/run/live-agents.ts';
import type { Scenario } from '../../../src/scenario/scenario.ts';
import {
  type AttachedRun,
  type ControlledRun,
  createControlledRun,
} from '../../../src/staging/control-api/controlled-run.ts';
import { type ControlApi, startControlApi } from '../../../src/staging/control-api/server.ts';
import { dashboardFiles } from '../../../src/staging/dashboard/files.ts';
import type { AppliedChanges } from '../../../src/staging/fleet/edited-scenario.ts';
import type { ControlledFleet } from '../../../src/staging/fleet/fleet.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

export const TOKEN = 'the token of this fleet';
export const READ_TOKEN = 'a token that may only read';

/** A fleet that is not running: its agents' data is fake, which the API cannot detect. */
export type ServedFleet = {
  readonly api: ControlApi;
  readonly run: ReportedRun;
  readonly fleet: ControlledFleet;
  /** Replaces the scenario, as if an edited one was applied. */
  readonly goOnWith: (scenario: Scenario) => void;
  /** Sends a request with the token; `init` is merged over it. */
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>;
};

/** A run whose events the test reports. */
type ReportedRun = ControlledRun & {
  readonly started: (startedAt: Date) => void;
  readonly add: (seconds: readonly TimelineFrame[]) => void;
  readonly changeEvents: (events: readonly FleetEvent[]) => void;
};

export function reportedRun(scenario: Scenario, shard = WHOLE_FLEET): ReportedRun {
  const run = createControlledRun({ scenario, shard }, () => []);
  return {
    ...run,
    started: (startedAt) => run.take({ kind: 'started', startedAt, resultsPath: undefined }),
    add: (seconds) => run.take({ kind: 'seconds', seconds }),
    changeEvents: (events) => run.take({ kind: 'events', events }),
  };
}

/** The result of applying a scenario with ten more agents and one event less. */
export function applied(part: Partial<AppliedChanges> = {}): AppliedChanges {
  return {
    keys: [{ key: 'fleet.agents', from: '40', to: '50' }],
    agents: { changed: [3], come: Array.from({ length: 10 }, (_, n) => 40 + n), gone: [], unchanged: 39 },
    events: { gone: ['cable'], changed: [], come: [] },
    refused: [],
    isApplied: true,
    startedFrom: '/etc/muster/staging.yaml',
    ...part,
  };
}

/** One agent of five is refused, one is late, one was never accepted; the others report. */
function healthOf(place: number): Health {
  if (place % 5 === 2)
    return { state: 'refused', operation: 'checkdata', outcome: 'http_400', reason: 'Host not found', sinceMs: 2000 };
  if (place % 5 === 1) return { state: 'late', sinceMs: 4000 };
  return { state: place % 5 === 0 ? 'unregistered' : 'reporting' };
}

const open: ControlApi[] = [];

export function closeServed(): void {
  for (const api of open.splice(0)) api.close();
}

type Wanted = {
  readonly agents?: number;
  readonly events?: string;
  readonly target?: string;
  /** First start of the fleet; if missing, it is started for the first time. */
  readonly firstStartedAt?: Date;
  /** If missing, hosts' clocks show the real time. */
  readonly hostClock?: string;
  readonly shard?: Shard;
  readonly host?: string;
  readonly publicUrls?: readonly URL[];
  /** True if the fleet is not up yet. */
  readonly raising?: boolean;
  /** Applies an edited scenario; if missing, the fleet is a run, whose scenario cannot change. */
  readonly apply?: ControlledFleet['apply'];
};

export async function serveFleet(
  {
    agents = 40,
    events = '[]',
    target = '{}',
    firstStartedAt,
    hostClock = '',
    shard = WHOLE_FLEET,
    host = '127.0.0.1',
    publicUrls = [],
    raising = false,
    apply,
  }: Wanted = {},
  work: Partial<LiveAgents & Omit<AttachedRun, 'agents'>> = {},
): Promise<ServedFleet> {
  const scenario = scenarioOf(
    `name: served\ntarget: ${target}\nfleet: { agents: ${agents}, seed: 7, profiles: { ubuntu-24.04: 2, windows-11: 1 }, payload: lean }\n` +
      `phases: [{ name: steady, duration: 1h, checkdata: { every: 30s } }]\nevents: ${events}\n${hostClock}`,
  );
  const run = reportedRun(scenario, shard);
  const nobody = async () => Promise.reject(new Error('nobody asks for it here'));
  const { addEvent = nobody, endEvent = nobody, ...further } = work;
  if (!raising)
    run.attach({
      addEvent,
      endEvent,
      agents: {
        conditions: async () => new Uint8Array(shareOf(shard, agents)).map((_, place) => place % 5),
        health: async () => readHealth(shareOf(shard, agents), healthOf),
        assumedUuids: async () => new Map(),
        changes: nobody,
        details: nobody,
        document: nobody,
        setClock: nobody,
        ...further,
      },
    });
  let { scenario: present } = run.fleet;
  // Not copied, because reading the agents of a fleet that is not up throws.
  const fleet: ControlledFleet = Object.setPrototypeOf(
    {
      apply,
      times: () => {
        const times = run.fleet.times();
        return times && { ...times, firstStartedAt: firstStartedAt ?? times.firstStartedAt };
      },
      get scenario() {
        return present;
      },
    },
    run.fleet,
  );
  const goOnWith = (other: Scenario): void => {
    present = other;
  };
  const api = await startControlApi(
    { address: { host, port: 0 }, publicUrls },
    { tokens: { control: TOKEN, read: READ_TOKEN }, page: async () => dashboardFiles() },
    fleet,
  );
  open.push(api);
  const ask: ServedFleet['ask'] = (path, init = {}) =>
    fetch(`${api.url}${path}`, { ...init, headers: { authorization: `Bearer ${TOKEN}`, ...init.headers } });
  return { api, run, fleet, goOnWith, ask };
}
