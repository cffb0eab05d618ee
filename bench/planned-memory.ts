import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readHostData } from '../src/base/storage/host-data.ts';
import { compilePayloads } from '../src/hosts/payloads.ts';
import { openRecording, readHostRecording } from '../src/recordings/recorder/recording-folder.ts';
import { recordedHosts } from '../src/recordings/simulated-hosts.ts';
import { fleetSizeOf } from '../src/scenario/planning/fleet-size.ts';
import { memoryNeeds } from '../src/scenario/planning/needs.ts';
import { parseScenario } from '../src/scenario/reading/parse.ts';
import { SEED } from './clients/one-push.ts';
import type { Benchmark, Case, Figures } from './harness/benchmark.ts';
import { connectionsWithin } from './harness/descriptors.ts';
import { runToEnd } from './processes/run-to-end.ts';

const MAIN = resolve(import.meta.dirname, '../src/main.ts');
const RECORDED_MS = Date.UTC(2026, 9, 15, 12);
const PROFILES = { 'ubuntu-24.04': 5, 'almalinux-9': 2, 'windows-server-2022': 2, 'macos-26': 1 };
const [INVALID, PASSED] = [111, 0];

/** What a run needs at its peak, with the embedded server and one worker. */
export const plannedMemory: Benchmark = {
  name: 'planned-memory',
  question: 'Does a run take as much memory as `muster plan` says?',
  needs: [],
  minutes: { quick: 6, full: 35 },
  figures: { plannedMb: 'planned MB', peakMb: 'peak MB', share: 'planned / peak', planSeconds: 's to plan' },
  async *cases({ quick, note }) {
    const scale = quick ? 0.1 : 1;
    const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
    try {
      for (const [name, scenario] of kindsOf(folder, scale, connectionsWithin(6000 * scale, note)))
        yield kindCase(name, scenario, folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** Every kind of payload, recordings, listeners and connections. */
function* kindsOf(folder: string, scale: number, connections: number): Generator<readonly [string, object]> {
  const agents = 1000 * scale;
  const checkdata = { every: '10s' };
  const packages = { every: '8s' };
  const pushing = (
    fleet: object,
    { load = {}, ...others }: { readonly load?: object; readonly [key: string]: unknown } = {},
  ) => ({
    target: { url: 'embedded' },
    fleet: { agents, profiles: PROFILES, payload: 'lean', ...fleet },
    phases: [
      { name: 'enroll', register: { over: '10s' } },
      { name: 'push', duration: '15s', checkdata, ...load },
    ],
    ...others,
  });
  for (const payload of ['lean', 'typical', 'full', 'natural']) {
    yield [`${agents} agents, ${payload}`, pushing({ payload })];
    yield [`${agents} agents, ${payload}, with packages`, pushing({ payload }, { load: { packages } })];
  }
  yield [`${connections / 2} connections`, pushing({ agents: connections / 2 })];
  yield [`${agents} TLS connections`, pushing({}, { target: { url: 'embedded', tls: { serve: 'self-signed' } } })];
  const shared = { agents: 100 * agents, connections: { shared: 64 } };
  yield [`${100 * agents} agents on 64 connections`, pushing(shared, { load: { checkdata: { every: '5m' } } })];
  yield [`${agents} listeners that push`, pushing({}, { webServer: { listen: '127.30.0.0/16:3333' } })];
  for (const hosts of [100, 300, 1000]) {
    const profile = `recording:${writeRecording(folder, hosts * scale)}`;
    const fleet = { profiles: { [profile]: 1 }, payload: undefined };
    yield [`${hosts * scale} recorded hosts`, pushing(fleet)];
    if (hosts === 1000)
      yield [`${hosts * scale} recorded hosts, with packages`, pushing(fleet, { load: { packages } })];
  }
}

function kindCase(name: string, scenario: object, folder: string): Case {
  return { name, variants: [{ name: 'muster', sample: () => sampleOf({ name: 'bench', ...scenario }, folder) }] };
}

async function sampleOf(scenario: object, folder: string): Promise<Figures> {
  const file = join(folder, 'bench.yaml');
  // JSON is valid YAML.
  writeFileSync(file, JSON.stringify(scenario));
  const command = (...words: readonly string[]) => runToEnd([process.execPath, '--', MAIN, ...words, '--workers', '1']);
  const { seconds: planSeconds } = await command('plan', file);
  const { peakBytes, exitCode } = await command('run', file, '--out', join(folder, 'results'), '--quiet');
  // Only a busy generator takes less than it may.
  if (exitCode !== PASSED && exitCode !== INVALID) throw new Error(`muster run ended with ${exitCode}`);
  const plannedBytes = plannedFor(file, JSON.stringify(scenario));
  return { plannedMb: plannedBytes / 1e6, peakMb: peakBytes / 1e6, share: plannedBytes / peakBytes, planSeconds };
}

function plannedFor(file: string, text: string): number {
  const readRecording = (path: string) => {
    const { documents, hash } = readHostRecording(path);
    return recordedHosts(documents, { name: path, hash });
  };
  const context = { environment: {}, settings: [], hostData: readHostData(), readRecording };
  const parsed = parseScenario({ file, text }, context);
  if (parsed.kind === 'problems') throw new Error(JSON.stringify(parsed.problems));
  return memoryNeeds(fleetSizeOf(parsed.scenario, { index: 0, count: 1 }), 'embedded', 1);
}

/** Writes a recording of hosts of the model, and returns its folder. */
function writeRecording(folder: string, hosts: number): string {
  const path = join(folder, `recording-${hosts}`);
  const recording = openRecording(path, false);
  const fleet = { data: readHostData(), seed: SEED, agents: hosts, checkIntervalSeconds: 30 };
  const writer = compilePayloads({ ...fleet, profiles: PROFILES, payload: 'typical' });
  for (let agent = 0; agent < hosts; agent++) {
    const host = `host-${agent}`;
    const out = Buffer.alloc(Math.max(writer.checkdataRoomBytes(agent), writer.packagesRoomBytes(agent)));
    const textOf = (end: number) => out.toString('utf8', 0, end);
    recording.addHost(host, host);
    const at = { host, instantMs: RECORDED_MS, secrets: 0 };
    const checkdata = textOf(writer.writeCheckdata(out, 0, agent, RECORDED_MS));
    recording.addDocument({ ...at, kind: 'checkdata', text: checkdata });
    recording.addDocument({ ...at, kind: 'packages', text: textOf(writer.writePackages(out, 0, agent, RECORDED_MS)) });
  }
  recording.close();
  return path;
}
