import { LIFECYCLE_STATES } from '../../../src/base/protocol/operations.ts';
import type { WebServerStatus } from '../../../src/engine/agent-status.ts';
import { CONDITION_FLAGS } from '../../../src/engine/conditions.ts';
import { cohortText } from '../../../src/load/cohorts/cohort.ts';
import type { FleetEvent } from '../../../src/load/events/event.ts';
import { WHOLE_FLEET } from '../../../src/load/shard.ts';
import type { ClusterMachine } from '../../../src/metrics/merging/cluster-machine.ts';
import {
  addSecond,
  type FiguresAt,
  type FiguresRange,
  figuresFrom,
  noFigures,
} from '../../../src/metrics/merging/fleet-figures.ts';
import type { TimelineFrame } from '../../../src/metrics/merging/timeline.ts';
import { type Health, readHealth } from '../../../src/metrics/recording/health-reading.ts';
import type { LiveAgents } from '../../../src/run/live-agents.ts';
import { type ControlApi, startControlApi } from '../../../src/staging/control-api/server.ts';
import { dashboardFiles } from '../../../src/staging/dashboard/files.ts';
import { createFeed } from '../../../src/staging/fleet/feed.ts';
import type { ControlledFleet } from '../../../src/staging/fleet/fleet.ts';
import { recordedRun, secondsIn } from '../../results/result.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

export const TOKEN = 'the+token/of this fleet';

export const AUTHORIZED = LIFECYCLE_STATES.indexOf('authorized');
export const REFUSED = LIFECYCLE_STATES.indexOf('refused');
export const OFFLINE = AUTHORIZED | CONDITION_FLAGS.offline | CONDITION_FLAGS['in-event'];
export const MISBEHAVING = AUTHORIZED | CONDITION_FLAGS.misbehaving;

/** A fleet behind the real API, whose state the test sets. */
export type StagedFleet = {
  readonly url: string;
  /** Sets the condition of these agents, by index, and lets a second pass. */
  readonly change: (agents: readonly number[], code: number) => void;
  /** Sets the number of agents, as an edited scenario would. */
  readonly grow: (agents: number) => void;
  /** Advances the timeline by this many seconds. */
  readonly pass: (seconds: number) => void;
  /** The requested events, in order. */
  readonly added: readonly FleetEvent[];
  readonly ended: readonly string[];
  /** A machine of a cluster gets a part of the fleet. */
  readonly join: (name: string) => void;
  readonly close: () => void;
};

/** An agent that listens and has never received a configuration. */
const LISTENING: WebServerStatus = {
  address: { host: '127.0.0.1', port: 20_000 },
  isListening: true,
  tls: 'none',
  autoTls: false,
  basicAuth: false,
  configPush: true,
  configured: undefined,
  last: undefined,
};

function healthOf(code: number): Health {
  if ((code & CONDITION_FLAGS.offline) !== 0) return { state: 'down' };
  if (code !== REFUSED) return { state: 'reporting' };
  return { state: 'refused', operation: 'checkdata', outcome: 'http_400', reason: 'Host not found', sinceMs: 2000 };
}

const open: ControlApi[] = [];

export function closeStaged(): void {
  for (const api of open.splice(0)) api.close();
}

type Place = { readonly port?: number; readonly publicUrls?: readonly URL[] };

export async function stageFleet(agents: number, { port = 0, publicUrls = [] }: Place = {}): Promise<StagedFleet> {
  const scenario = scenarioOf(
    `name: staged\nfleet: { agents: ${agents}, seed: 7, profiles: { ubuntu-24.04: 2, windows-11: 1 }, payload: lean }\n` +
      'webServer: { listen: "127.0.0.1:20000+" }\n' +
      'phases: [{ name: steady, duration: 10h, checkdata: { every: 30s } }]\n' +
      'events: [{ do: disconnect, name: cable, at: 10s, for: 5h, cohort: 10% }, { do: stop, name: later, at: 6h, for: 1h }]\n',
  );
  let present = scenario;
  let codes = new Uint8Array(agents).fill(AUTHORIZED);
  const startedAt = new Date(Date.now() - 60_000);
  const frames = await recordedFrames();
  const [added, ended]: [FleetEvent[], string[]] = [[], []];
  const machines: ClusterMachine[] = [];
  const events = [...scenario.events];
  let changes: { place: number; code: number }[] = [];
  let second = 60;
  const { publish, subscribe } = createFeed();
  const atWork: LiveAgents = {
    conditions: async () => codes,
    setClock: async () => {},
    health: async () => readHealth(codes.length, (place) => healthOf(codes[place] ?? 0)),
    assumedUuids: async () => new Map(),
    changes: async (since) => {
      const told = { next: '0', missed: 0, changes: since === undefined ? [] : changes };
      changes = [];
      return told;
    },
    details: async (place) => ({
      atMs: 60_000,
      uuid: 'b47afae2-f1e7-4cb4-9895-aa359aa85285',
      code: codes[place] ?? 0,
      busy: false,
      actions: [],
      version: undefined,
      history: [{ code: AUTHORIZED, atMs: 2000 }],
      seen: { request: undefined, answer: undefined },
      last: undefined,
      webServer: LISTENING,
    }),
    document: async () => Buffer.from('{"cpu":{"cpu_total_percentage":12}}'),
  };
  const rows = ({ resolution, fromMs, toMs }: FiguresRange): FiguresAt[] => {
    const parts = resolution === 'whole' ? [frames] : frames.map((frame) => [frame]);
    return parts.flatMap((part, index) => {
      const sum = noFigures();
      for (const frame of part) addSecond(sum, frame, frame.second);
      const atMs = Date.now() - (frames.length - index) * 1000;
      return part.length === 0 || atMs < fromMs - 1000 || atMs > toMs ? [] : [{ atMs, figures: figuresFrom(sum) }];
    });
  };
  const fleet: ControlledFleet = {
    get scenario() {
      return present;
    },
    shard: WHOLE_FLEET,
    agents: atWork,
    apply: undefined,
    hosts: { version: '1', since: undefined, tables: undefined },
    machines: () => machines,
    times: () => ({ firstStartedAt: startedAt, startedAt }),
    newest: () => frames.at(-1),
    subscribe,
    events: () => events,
    addEvent: async ({ event, isDry }) => {
      if (!isDry) {
        added.push(event);
        events.push(event);
        publish({ kind: 'events', events });
      }
      const [, from = '0', to = '2'] = /^(\d+)\.\.(\d+)$/.exec(cohortText(event.cohort)) ?? [];
      const hit = Array.from({ length: Number(to) - Number(from) + 1 }, (_, n) => Number(from) + n);
      return { event, count: hit.length, agents: hit, isFinal: true };
    },
    endEvent: async (name, { isDry = false } = {}) => {
      if (!isDry) ended.push(name);
      return { name, atMs: 60_000, count: 3 };
    },
    figures: rows,
  };
  const api = await startControlApi(
    { address: { host: '127.0.0.1', port }, publicUrls },
    { tokens: { control: TOKEN }, page: async () => dashboardFiles() },
    fleet,
  );
  open.push(api);
  const tellSecond = (): void => {
    const frame = frames[second % frames.length];
    if (frame === undefined) return;
    publish({ kind: 'seconds', seconds: [{ ...frame, second }] });
    second += 1;
  };
  return {
    added,
    ended,
    url: api.url,
    change: (places, code) => {
      for (const place of places) {
        codes[place] = code;
        changes.push({ place, code });
      }
      tellSecond();
    },
    grow: (count) => {
      present = { ...scenario, fleet: { ...scenario.fleet, agents: count } };
      codes = new Uint8Array(count).fill(AUTHORIZED);
      publish({ kind: 'applied', scenario: present });
    },
    pass: (seconds) => {
      second = seconds - 1;
      tellSecond();
    },
    join: (name) => {
      const known = { part: machines.length + 1, agents: 5, workers: 1, clockOffsetMs: 0, clockErrorMs: 1 };
      machines.push({ name, fromMs: 0, ...known });
    },
    close: () => api.close(),
  };
}

async function recordedFrames(): Promise<readonly TimelineFrame[]> {
  return secondsIn((await recordedRun()).folder);
}
