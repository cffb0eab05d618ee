import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/base/kernel/version.ts';
import { readBusAddress } from '../../src/cluster/address.ts';
import { buildHash } from '../../src/cluster/build-hash.ts';
import { type Bus, openBus } from '../../src/cluster/bus.ts';
import { machinesOf } from '../../src/cluster/coordinator.ts';
import { joinCluster } from '../../src/cluster/join.ts';
import { watchMembers } from '../../src/cluster/membership.ts';
import {
  coordinatorSubject,
  type FromMachine,
  type JoinedMachine,
  joinedKey,
  MACHINES_BUCKET,
  machineSubject,
  RUNS_BUCKET,
} from '../../src/cluster/messages.ts';
import type { TimelineFrame } from '../../src/metrics/merging/timeline.ts';
import type { Frame, SeriesFrame } from '../../src/metrics/recording/frame.ts';
import { countsByValue, type Histogram, type PackedHistogram, unpack } from '../../src/metrics/recording/histogram.ts';
import { ALONE, type RunEvent, startRun } from '../../src/run/run.ts';
import { NOT_KEPT_UP, repeatedIfBusy } from '../run/real-time/finished-run.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';
import { countingServer } from './counting-server.ts';
import { hasNats, type NatsServer, startNats } from './nats-server.ts';

const LOAD = `
phases:
  - { name: enroll, duration: 1s, register: { over: 300ms } }
  - { name: steady, duration: 2s, checkdata: { rate: 60/s } }
`;
const FLEET = 'fleet: { agents: 24, seed: 5, payload: lean }';

describe.skipIf(!hasNats)('a cluster, with nats-server', () => {
  let nats: NatsServer;
  let server: Awaited<ReturnType<typeof countingServer>>;
  const open: Bus[] = [];
  const joined: Awaited<ReturnType<typeof joinCluster>>[] = [];

  async function bus(name: string): Promise<Bus> {
    const { address, sealing } = await readBusAddress(nats.url, {});
    const opened = await openBus(address, name, sealing);
    open.push(opened);
    return opened;
  }

  /** Frames that machines sent, before they reached NATS. */
  const said: Frame[] = [];

  async function join(name: string): Promise<void> {
    const overheard = hearing(await bus(name), (message) => {
      if (message.kind === 'frame') said.push(message.frame);
    });
    joined.push(await joinCluster(overheard, { name, workers: 1, once: false }, () => {}));
  }

  async function order(machines: number, waitMs = 20_000) {
    return machinesOf({ bus: await bus('coordinator'), machines, waitMs, replace: false, replicas: 1 });
  }

  beforeAll(async () => {
    [nats, server] = await Promise.all([startNats(), countingServer()]);
    await Promise.all(['a', 'b', 'c'].map(join));
  });

  afterAll(async () => {
    await Promise.all(joined.map(({ leave }) => leave()));
    await Promise.all(open.map((one) => one.close()));
    await nats.close();
    server.stop();
  });

  it('runs a fleet in parts that together do exactly what one process does', async ({ skip }) => {
    const scenario = scenarioOf(`target: { url: "${server.url}" }\n${FLEET}\n${LOAD}`);
    const run = async (machines?: Awaited<ReturnType<typeof order>>) => {
      server.forget();
      const seconds: TimelineFrame[] = [];
      const told: RunEvent[] = [];
      const { outcome } = startRun({ ...ALONE, scenario, machines, workers: 1, resultsFolder: undefined }, (event) => {
        told.push(event);
        if (event.kind === 'seconds') seconds.push(...event.seconds);
      });
      const { summary, recording } = await outcome;
      return {
        summary,
        recording,
        seconds,
        told,
        pushes: server.pushes(),
        registered: server.registered(),
        again: server.again(),
      };
    };
    const compared = async () => {
      said.length = 0;
      return { alone: await run(), together: await run(await order(3)) };
    };
    const wasBusy = (both: Awaited<ReturnType<typeof compared>>) =>
      Object.values(both).some(({ summary }) => summary.verdict.kind === 'invalid');
    const both = await repeatedIfBusy(compared, wasBusy);
    const { alone, together } = both;
    // Compared value by value, independent of how histograms were packed and merged.
    const merged = together.recording.run.series.flatMap(({ totals, ...series }) =>
      valuesOf([{ ...series, histograms: totals.histograms }]),
    );
    expect(merged.length).toBeGreaterThan(100);
    expect(merged.sort()).toEqual(valuesOf(said.flatMap(({ series }) => series)).sort());
    const planned = ({ summary }: typeof alone) =>
      summary.phases.map(({ name, operations }) => [name, operations.map((one) => [one.operation, one.planned])]);
    expect(together.registered).toEqual(alone.registered);
    expect(together.again).toEqual([]);
    const { summary } = together;
    expect(summary.machines?.map(({ part, agents, workers, fromMs }) => [part, agents, workers, fromMs])).toEqual([
      [1, 8, 1, 0],
      [2, 8, 1, 0],
      [3, 8, 1, 0],
    ]);
    expect(new Set(summary.machines?.map(({ name }) => name))).toEqual(new Set(['a', 'b', 'c']));
    for (const { clockOffsetMs = Number.NaN, clockErrorMs = 0 } of summary.machines ?? [])
      expect(Math.abs(clockOffsetMs)).toBeLessThanOrEqual(clockErrorMs + 2);
    for (const { figures, natsMs, load } of summary.machines ?? [])
      expect([figures?.startedPerSecond, natsMs, load?.cores]).toEqual(Array(3).fill(expect.any(Number)));
    expect(summary.environment.workers).toBe(3);
    expect(summary.verdict.reasons.filter(({ kind }) => kind !== 'invalid')).toEqual([]);
    // Each second once and in order, with the load of each worker.
    expect(together.seconds.map(({ second }) => second)).toEqual(together.seconds.map((_, n) => n));
    expect(together.seconds[1]?.workers.map(({ shard }) => shard)).toEqual([0, 1, 2]);
    expect(together.told.find(({ kind }) => kind === 'note')).toMatchObject({
      text: expect.stringContaining('on 3 machines'),
    });
    skip(wasBusy(both), NOT_KEPT_UP);
    expect(planned(together)).toEqual(planned(alone));
    // With the same rate, every agent pushes equally often on any machine.
    expect(together.pushes).toEqual(alone.pushes);
    expect(new Set(together.pushes.map(([, count]) => count)).size).toBe(1);
  });

  it('reports that there are too few machines, and each machine that cannot take part', async () => {
    const stranger = await bus('stranger');
    const machines = await stranger.bucket(MACHINES_BUCKET, { replicas: 1, ttlMs: 10_000 });
    const entry = { build: buildHash(), run: undefined };
    const strangers: JoinedMachine[] = [
      { ...entry, id: '1', name: 'old', version: '0.0.9' },
      { ...entry, id: '2', name: 'early', version: VERSION },
      { ...entry, id: '3', name: 'patched', version: VERSION, build: 'f00' },
    ];
    stranger.serve(machineSubject('2'), () => ({ monotonicMs: 0, unixMs: Date.now() - 300_000 }));
    for (const machine of strangers) await machines.put(joinedKey(machine), machine);
    const scenario = scenarioOf(`target: { url: "${server.url}" }\n${FLEET}\n${LOAD}`);
    const { outcome } = startRun(
      { ...ALONE, scenario, machines: await order(5, 500), workers: 1, resultsFolder: undefined },
      () => {},
    );
    const refused = await outcome.then(
      () => '',
      (error: Error) => error.message,
    );
    expect(refused).toContain('--machines: expected 5 joined machines, found 3');
    expect(refused).toContain(`old: it runs version 0.0.9, but this machine runs ${VERSION}`);
    expect(refused).toContain(`patched: it runs build f00 of version ${VERSION}, but this machine runs build `);
    expect(refused).toMatch(/early: its clock is (299|300|301) s behind/);
    for (const machine of strangers) await machines.delete(joinedKey(machine));
  });

  it('is released when the user stops waiting for more machines; nothing is sent, and machines stop asking', async () => {
    server.forget();
    const scenario = scenarioOf(`target: { url: "${server.url}" }\n${FLEET}\n${LOAD}`);
    const run = startRun(
      { ...ALONE, scenario, machines: await order(4), workers: 1, resultsFolder: undefined },
      () => {},
    );
    const observer = await bus('observer');
    const members = await watchMembers(await observer.bucket(MACHINES_BUCKET, { replicas: 1, ttlMs: 10_000 }));
    const atWork = () => members.atWork().length;
    await expect.poll(atWork).toBe(3);
    // Once the machines are prepared, they regularly ask whether their coordinator still exists.
    const name = members.atWork()[0]?.run ?? '';
    const ready = new Set<string>();
    const stopReading = (await observer.openRun(name))?.read('from.*', ({ subject }) => ready.add(subject));
    await expect.poll(() => ready.size).toBe(3);
    stopReading?.();
    const coordinator = await (await observer.bucket(RUNS_BUCKET, { replicas: 1, ttlMs: undefined })).get(
      `coordinator.${name}`,
    );
    let asked = 0;
    const silence = observer.serve(coordinatorSubject(String(coordinator?.value)), () => ++asked);
    run.send('stop');
    await expect(run.outcome).rejects.toThrow('stopped before its machines were ready: nothing was sent');
    await expect.poll(atWork).toBe(0);
    members.stop();
    const before = asked;
    for (let question = 0; question < 50; question++)
      await observer.request(coordinatorSubject(String(coordinator?.value)), name, 2000);
    // Each machine may have one pending request.
    expect(asked - before).toBeLessThanOrEqual(50 + 3);
    silence();
    expect(server.registered()).toEqual([]);
  });

  it('refuses loads that exceed its machines, and targets that they cannot share, before anything is sent', async () => {
    const refusal = async (text: string, count = 3) => {
      const machines = await order(count, 500);
      const { outcome } = startRun(
        { ...ALONE, scenario: scenarioOf(text), machines, workers: 1, resultsFolder: undefined },
        () => {},
      );
      return outcome.then(
        () => 'ran',
        (error: Error) => error.message,
      );
    };
    server.forget();
    expect(await refusal(`fleet: { agents: 24 }\n${LOAD}`)).toContain(
      'found embedded, which each process runs for itself',
    );
    expect(await refusal(`target: { url: "${server.url}" }\nfleet: { agents: 9000000 }\n${LOAD}`)).toMatch(
      /refused: .*[abc]: 3000000 connections need 3000064 file descriptors/,
    );
    expect(server.registered()).toEqual([]);
  });
});

type Told = Pick<SeriesFrame<Histogram | PackedHistogram>, 'phase' | 'operation' | 'histograms'>;

/** `steady checkdata response 2.31 ms × 4`: each value of a clock, and its count. */
function valuesOf(series: readonly Told[]): string[] {
  const counts = new Map<string, number>();
  for (const { phase, operation, histograms } of series)
    for (const [clock, histogram] of Object.entries(histograms))
      countsByValue(histogram instanceof Uint8Array ? unpack(histogram) : histogram, (valueMs, count) => {
        const value = `${phase} ${operation} ${clock} ${valueMs} ms`;
        counts.set(value, (counts.get(value) ?? 0) + count);
      });
  return [...counts].map(([value, count]) => `${value} × ${count}`);
}

function hearing(bus: Bus, hear: (message: FromMachine) => void): Bus {
  return {
    ...bus,
    openRun: async (run) => {
      const store = await bus.openRun(run);
      if (store === undefined) return undefined;
      return {
        ...store,
        publish: (subject, id, message) => {
          hear(message as FromMachine);
          return store.publish(subject, id, message);
        },
      };
    },
  };
}

it.skipIf(!hasNats)(
  'an idle machine says that NATS is down or back, and can leave meanwhile, with nats-server',
  async () => {
    const nats = await startNats();
    const { address, sealing } = await readBusAddress(nats.url, {});
    const bus = await openBus(address, 'machine', sealing);
    let heartbeats = 0;
    const said: string[] = [];
    const counting: Bus = {
      ...bus,
      bucket: async (name, order) => {
        const bucket = await bus.bucket(name, order);
        // Each heartbeat first asks whether the entry of the last one is still there.
        const get: typeof bucket.get = (key) => {
          heartbeats++;
          return bucket.get(key);
        };
        return { ...bucket, get };
      },
    };
    const machine = await joinCluster(counting, { name: 'a', workers: 1, once: false }, (text) => said.push(text));
    await nats.kill();
    const before = heartbeats;
    // A heartbeat that nothing receives.
    await expect.poll(() => heartbeats).toBeGreaterThan(before);
    await expect.poll(() => said).toEqual(['NATS is unreachable: waiting until it is back']);
    await nats.start();
    await expect.poll(() => said.slice(1)).toEqual(['NATS is reachable again']);
    await nats.kill();
    await machine.leave();
    await bus.close();
    await nats.close();
  },
);

it.skipIf(!hasNats)(
  'a machine that joined for one run leaves when its started run is released, as after NATS lost it, with nats-server',
  async () => {
    const [nats, server] = await Promise.all([startNats(), countingServer()]);
    const { address, sealing } = await readBusAddress(nats.url, {});
    const [bus, coordinator] = [await openBus(address, 'machine', sealing), await openBus(address, 'other', sealing)];
    let ask: (message: unknown) => unknown = () => undefined;
    let taken: { readonly work: { readonly run: string } } | undefined;
    const overheard: Bus = {
      ...bus,
      serve: (subject, answer) => {
        ask = answer;
        return bus.serve(subject, (message) => {
          if ((message as { kind?: unknown }).kind === 'take') taken = message as typeof taken;
          return answer(message);
        });
      },
    };
    const said: string[] = [];
    const machine = await joinCluster(overheard, { name: 'a', workers: 1, once: true }, (text) => said.push(text));
    const long = '  - { name: steady, duration: 5m, checkdata: { rate: 10/s } }';
    const scenario = scenarioOf(`target: { url: "${server.url}" }\n${FLEET}\nphases:\n${long}`);
    const machines = machinesOf({ bus: coordinator, machines: 1, waitMs: 20_000, replace: false, replicas: 1 });
    const started = Promise.withResolvers<void>();
    const run = startRun({ ...ALONE, scenario, machines, workers: 1, resultsFolder: undefined }, (event) => {
      if (event.kind === 'seconds') started.resolve();
    });
    await started.promise;
    ask({ kind: 'release', run: taken?.work.run });
    await machine.left;
    expect(said.at(-1)).toMatch(/its coordinator has ended the run$/);
    run.send('cancel');
    await run.outcome;
    await Promise.all([bus.close(), coordinator.close()]);
    await nats.close();
    server.stop();
  },
);
