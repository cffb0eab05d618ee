import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readHostData } from '../src/base/storage/host-data.ts';
import { type Plain, plain } from '../src/hosts/document/plain.ts';
import type { MachineFleet } from '../src/hosts/fleet.ts';
import { compilePayloads, createMachines } from '../src/hosts/payloads.ts';
import { PROFILE_NAMES } from '../src/hosts/profiles.ts';
import type { Size } from './clients/one-push.ts';
import type { Benchmark, Case, Figures } from './harness/benchmark.ts';

/** Documents per sample: about the same number of bytes for each size. */
const DOCUMENTS = { lean: 40_000, typical: 8000, full: 1600 } as const;
const HOSTS = 64;
const START_MS = Date.UTC(2026, 8, 21);

/** Compared with JSON.stringify of an equal object, whose creation is not measured. */
export const payloads: Benchmark = {
  name: 'payloads',
  question: 'What does it cost to render the document of a push?',
  needs: [],
  minutes: { quick: 1, full: 2 },
  figures: { us: 'µs per document', bytes: 'bytes', allocatedBytes: 'bytes allocated' },
  ratio: { of: 'us', to: 'render' },
  async *cases({ quick }) {
    const collect = garbageCollector();
    for (const profile of quick ? ['ubuntu-24.04'] : onePerFamily()) {
      for (const payload of ['lean', 'typical', 'full'] as const) yield documentCase(profile, payload, collect);
    }
  },
};

function documentCase(profile: string, payload: Size, collect: () => void): Case {
  const fleet: MachineFleet = {
    data: readHostData(),
    seed: 1,
    profiles: { [profile]: 1 },
    payload,
    checkIntervalSeconds: 30,
  };
  const documents = DOCUMENTS[payload];
  const writer = compilePayloads(fleet);
  const hosts = Array.from({ length: HOSTS }, (_, agent) => agent);
  const out = Buffer.alloc(Math.max(...hosts.map(writer.checkdataRoomBytes)));
  const objects = hosts.map((agent) => numbersOnly(checkdataOf(fleet, agent)));
  const render = (at: number) => writer.writeCheckdata(out, 0, at % HOSTS, START_MS + Math.floor(at / HOSTS) * 30_000);
  const stringify = (at: number) => JSON.stringify(objects[at % HOSTS]).length;
  // Warm-up, so that both are compiled before they are measured.
  timed(documents / 4, render);
  timed(documents / 4, stringify);
  return {
    name: `${profile}, ${payload}`,
    variants: [
      {
        name: 'render',
        sample: async () => ({ ...timed(documents, render), ...allocated(documents / 4, render, collect) }),
      },
      { name: 'JSON.stringify', sample: async () => timed(documents / 4, stringify) },
    ],
  };
}

/** Writes a document and returns its length. */
type Write = (at: number) => number;

function timed(documents: number, write: Write): Figures {
  const startMs = performance.now();
  let bytes = 0;
  for (let at = 0; at < documents; at++) bytes += write(at);
  return { us: ((performance.now() - startMs) * 1000) / documents, bytes: bytes / documents };
}

/** With few documents, so that their allocations trigger no garbage collection. */
function allocated(documents: number, write: Write, collect: () => void): Figures {
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < documents; at++) write(at);
  return { allocatedBytes: (process.memoryUsage().heapUsed - before) / documents };
}

/** The first profile of each system family. */
function onePerFamily(): readonly string[] {
  const families = new Map(PROFILE_NAMES.toReversed().map((name) => [familyOf(name), name]));
  return [...families.values()].toReversed();
}

function familyOf(name: string): string {
  const system = /^(windows|macos)/.exec(name)?.[0];
  if (system !== undefined) return system;
  const fleet: MachineFleet = {
    data: readHostData(),
    seed: 1,
    profiles: { [name]: 1 },
    payload: 'lean',
    checkIntervalSeconds: 30,
  };
  const document = JSON.parse(JSON.stringify(checkdataOf(fleet, 0)));
  return String(document.agent.family);
}

/** JSON.stringify does not accept the 64-bit integers of Windows. Numbers cost it no more. */
function numbersOnly(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? Number(member) : member)));
}

/** V8 exposes its garbage collector only with a flag. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

function checkdataOf(fleet: MachineFleet, agent: number): Plain {
  const { node, frame } = createMachines(fleet).checkdata(agent, START_MS);
  return plain(node(), frame);
}
