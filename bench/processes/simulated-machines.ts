/**
 * Machines of a cluster without agents. They join, take their part of the fleet, and report each second what one machine reported
 * in a recorded run. To NATS and the coordinator each costs as much as a real one: per second it reads and writes its entry in a bucket, renews
 * its lease, and sends a message; and it reads the run's commands.
 *
 *     node bench/processes/simulated-machines.ts URL FIRST COUNT RECORDING
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { VERSION } from '../../src/base/kernel/version.ts';
import { monotonicClock } from '../../src/base/runtime/event-loop.ts';
import { readBusAddress } from '../../src/cluster/address.ts';
import { buildHash } from '../../src/cluster/build-hash.ts';
import { type Bus, openBus } from '../../src/cluster/bus.ts';
import { extendEntry } from '../../src/cluster/join.ts';
import {
  type AcceptedPart,
  type FromMachine,
  type JoinedMachine,
  joinedKey,
  leaseSubject,
  MACHINES_BUCKET,
  type MachineClocks,
  machineSubject,
  STALE_MS,
  subjectOf,
  type ToMachine,
  type ToMachines,
  type Work,
} from '../../src/cluster/messages.ts';
import type { RunStore } from '../../src/cluster/run-store.ts';
import type { Frame } from '../../src/metrics/recording/frame.ts';
import { readRecording } from '../../src/results/recorded-seconds.ts';

const [url = '', first = '0', count = '0', recording = ''] = process.argv.slice(2);
const { address, sealing } = await readBusAddress(url, process.env);
const bus = await openBus(address, `simulated-${first}`, sealing);
const seconds = await recordedSeconds(recording);
const stores = new Map<string, Promise<RunStore | undefined>>();
const ended = await Promise.all(Array.from({ length: Number(count) }, (_, at) => beMachine(bus, Number(first) + at)));
process.stdout.write(`${ended.length}\n`);
await bus.close();

async function recordedSeconds(folder: string): Promise<readonly Frame[]> {
  const frames: Frame[] = [];
  for await (const { workers, series, attacks, evidence, addresses, ...second } of readRecording(folder)) {
    const [load] = workers;
    const own = { loopUtilization: load?.loopUtilization ?? 0, cpuMs: load?.cpuMs ?? 0, gcMs: load?.gcMs ?? 0 };
    frames.push({ ...second, ...own, shard: 0, stalls: [], workers, series: series as Frame['series'] });
  }
  return frames;
}

/** Resolves when the machine's part of a run has ended. */
async function beMachine(over: Bus, number: number): Promise<void> {
  const id = randomUUID();
  const name = `simulated-${number}`;
  const machines = await over.bucket(MACHINES_BUCKET, { replicas: 1, ttlMs: STALE_MS });
  const work = Promise.withResolvers<Work>();
  const present: JoinedMachine = {
    id,
    name,
    version: VERSION,
    build: buildHash(),
    run: undefined,
  };
  const silence = over.serve(machineSubject(id), (message) => {
    const { kind, ...rest } = message as ToMachine;
    if (kind === 'clocks') return { monotonicMs: monotonicClock(), unixMs: Date.now() } satisfies MachineClocks;
    if (kind !== 'take' || !('work' in rest)) return undefined;
    work.resolve(rest.work);
    return { workers: seconds[0]?.workers?.length ?? 1 } satisfies AcceptedPart;
  });
  const key = joinedKey({ name, id });
  let taken: Work | undefined;
  const beat = async (): Promise<void> => {
    const entry = { ...present, run: taken?.run };
    if (!(await extendEntry(machines, key, entry))) await machines.put(key, entry);
    if (taken === undefined) return;
    const { run, part, generation } = taken;
    await over.request(leaseSubject(run), { part, generation, isLeaving: false, natsMs: 1 }, 1000);
  };
  let isOver = false;
  const beating = (async () => {
    // Real machines do not all join at the same time, so their heartbeats are spread, too.
    await pause(Math.random() * 1000);
    for (; !isOver; await pause(1000)) await beat();
  })();
  taken = await work.promise;
  await raise(over, taken);
  isOver = true;
  // It would fail once the connection is closed.
  await beating;
  silence();
  await machines.delete(key);
}

async function raise(over: Bus, { run, part, shard, generation }: Work): Promise<void> {
  const opened = stores.get(run) ?? over.openRun(run);
  stores.set(run, opened);
  const store = await opened;
  if (store === undefined) throw new Error(`NATS knows nothing of run ${run}`);
  let sent = 0;
  const say = (message: FromMachine): Promise<void> =>
    store.publish(subjectOf(part, message), `${generation}-${sent++}`, message);
  const start = Promise.withResolvers<number>();
  const stopReading = store.read('to', ({ message }) => {
    const told = message as ToMachines;
    if (told.kind === 'start') start.resolve(told.atMs[part] ?? 0);
  });
  await say({ generation, kind: 'ready' });
  const startMs = await start.promise;
  for (const { second, workers = [], ...frame } of seconds) {
    await pause(Math.max(0, startMs + (second + 1) * 1000 - monotonicClock()));
    const own = workers.map((load) => ({ ...load, shard: part + load.shard * shard.count }));
    await say({ generation, kind: 'frame', frame: { ...frame, second, workers: own, shard: part } });
  }
  const machine = { cores: 1, loadAverage: 0, otherCores: 0, stealShare: 0 };
  await say({ generation, kind: 'account', account: { machine, responses: [], events: [], down: [] } });
  await say({ generation, kind: 'finished' });
  stopReading();
}
