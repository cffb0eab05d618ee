import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { MachineFleet } from '../src/machine/machine-fleet.ts';
import { checkdataOf } from '../src/machine/machines.ts';
import { compilePayloads } from '../src/machine/payloads.ts';
import { PROFILE_NAMES } from '../src/machine/profiles.ts';

const SIZES = { lean: 4000, typical: 800, full: 160 } as const;
const HOSTS = 64;
const ROUNDS = 25;
const START_MS = Date.UTC(2026, 8, 21);
const AGENTS = 100_000;

type Row = {
  readonly profile: string;
  readonly payload: keyof typeof SIZES;
  readonly sizeBytes: number;
  readonly renderUs: number;
  readonly stringifyUs: number;
  readonly allocatedBytes: number;
};

/** Rendering a push beside JSON.stringify of the equal object, in turn within one run; and what agents take at rest. */
export async function benchPayloads(): Promise<void> {
  const collect = garbageCollector();
  // First, while nothing else has been compiled yet.
  const residentBytes = residentPerAgent(collect);
  print(['profile', 'payload', 'bytes', 'render µs', 'stringify µs', 'ratio', 'allocated B']);
  for (const profile of onePerFamily()) {
    for (const payload of ['lean', 'typical', 'full'] as const) print(cells(measure(profile, payload, collect)));
  }
  process.stdout.write(
    `resident memory per agent, ${AGENTS} agents of all profiles, typical size: ${residentBytes.toFixed(0)} bytes\n`,
  );
}

/** The first profile of each system family. */
function onePerFamily(): readonly string[] {
  const families = new Map(PROFILE_NAMES.toReversed().map((name) => [familyOf(name), name]));
  return [...families.values()].toReversed();
}

function familyOf(name: string): string {
  const system = /^(windows|macos)/.exec(name)?.[0];
  if (system !== undefined) return system;
  const fleet: MachineFleet = { seed: 1, profiles: { [name]: 1 }, payload: 'lean', checkIntervalSeconds: 30 };
  const document = JSON.parse(JSON.stringify(checkdataOf(fleet, 0, START_MS)));
  return String(document.agent.family);
}

function measure(profile: string, payload: keyof typeof SIZES, collect: () => void): Row {
  const fleet: MachineFleet = { seed: 1, profiles: { [profile]: 1 }, payload, checkIntervalSeconds: 30 };
  const pushes = SIZES[payload];
  const writer = compilePayloads(fleet);
  const out = Buffer.alloc(writer.maxCheckdataBytes);
  const objects = Array.from({ length: HOSTS }, (_, agent) => numbersOnly(checkdataOf(fleet, agent, START_MS)));
  let rendered = 0;
  const render = (round: number) => {
    for (let i = 0; i < pushes; i++) rendered += writer.writeCheckdata(out, 0, i % HOSTS, START_MS + round * 30_000);
  };
  const stringify = () => {
    for (let i = 0; i < pushes / 4; i++) JSON.stringify(objects[i % HOSTS]);
  };
  const rounds = Array.from({ length: ROUNDS }, (_, round) => {
    return { render: time(() => render(round)) / pushes, stringify: time(stringify) / Math.ceil(pushes / 4) };
  });
  const sizeBytes = rendered / (ROUNDS * pushes);
  collect();
  const before = process.memoryUsage().heapUsed;
  render(0);
  const allocatedBytes = (process.memoryUsage().heapUsed - before) / pushes;
  const us = (kind: 'render' | 'stringify') => 1000 * median(rounds.map((round) => round[kind]));
  return { profile, payload, sizeBytes, renderUs: us('render'), stringifyUs: us('stringify'), allocatedBytes };
}

/** JSON.stringify refuses the 64-bit integers of Windows; a number in their place costs it no more. */
function numbersOnly(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? Number(member) : member)));
}

/** What the machines of many agents hold once all of them have pushed both documents: compiled shapes and all. */
function residentPerAgent(collect: () => void): number {
  const settled = () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const empty = settled();
  const profiles = Object.fromEntries(PROFILE_NAMES.map((name) => [name, 1]));
  const writer = compilePayloads({ seed: 1, profiles, payload: 'typical', checkIntervalSeconds: 30 });
  const out = Buffer.alloc(writer.maxCheckdataBytes + writer.maxPackagesBytes);
  const push = (agent: number) => {
    writer.writePackages(out, writer.writeCheckdata(out, 0, agent, START_MS), agent, START_MS);
  };
  for (let agent = 0; agent < AGENTS; agent++) push(agent);
  const used = settled() - empty;
  // Keeps the writer alive until here, without which its shapes would not count.
  push(0);
  return used / AGENTS;
}

function time(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function cells({ profile, payload, sizeBytes, renderUs, stringifyUs, allocatedBytes }: Row): readonly string[] {
  const ratio = `${(stringifyUs / renderUs).toFixed(1)}×`;
  const numbers = [sizeBytes.toFixed(0), renderUs.toFixed(1), stringifyUs.toFixed(1), ratio, allocatedBytes.toFixed(0)];
  return [profile, payload, ...numbers];
}

function print(columns: readonly string[]): void {
  const text = columns.map((column, index) => (index === 0 ? column.padEnd(22) : column.padStart(13)));
  process.stdout.write(`${text.join('')}\n`);
}

/** V8 hands its collector out only when asked by a flag. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

if (import.meta.main) await benchPayloads();
