import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { compilePayloads } from '../src/machine/payloads.ts';
import { ENDPOINT_PATHS } from '../src/protocol/push.ts';

/**
 * What a push costs the embedded monitoring server, beside a bare `node:http` server that reads and discards:
 * requests per second and CPU per request for the three payload sizes. wrk makes the load, in another process.
 */
const ROUNDS = 3;
const SECONDS = 2;
const CONNECTIONS = 64;
const SERVERS = ['bare', 'documented', 'shipped'] as const;
const SIZES = ['lean', 'typical', 'full'] as const;
const UUID = '00000000-0000-4000-8000-000000000001';
const PASSWORD = 'f'.repeat(128);

type Measure = { readonly perSecond: number; readonly cpuMicros: number };

/** Prints requests per second and CPU per request of each server for each size. Needs wrk. */
export async function benchMonitoringServer(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  try {
    for (const payload of SIZES) await benchSize(payload, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function benchSize(payload: (typeof SIZES)[number], folder: string): Promise<void> {
  const body = bodyOf(payload);
  const script = join(folder, `${payload}.lua`);
  writeFileSync(join(folder, `${payload}.json`), body);
  writeFileSync(script, luaScript(join(folder, `${payload}.json`)));
  const rounds: Record<(typeof SERVERS)[number], Measure[]> = { bare: [], documented: [], shipped: [] };
  // In turn, so that a busy moment of the machine meets all of them.
  for (let round = 0; round < ROUNDS; round++) {
    for (const server of SERVERS) rounds[server].push(await measure(server, script));
  }
  print(`${payload}, ${Math.round(body.length / 1000)} KB`);
  const bareCpu = median(rounds.bare.map(({ cpuMicros }) => cpuMicros));
  for (const server of SERVERS) {
    const measures = rounds[server];
    const cpu = median(measures.map(({ cpuMicros }) => cpuMicros));
    const rate = median(measures.map(({ perSecond }) => perSecond));
    print(
      `  ${server.padEnd(10)} ${rate.toFixed(0).padStart(6)} requests/s  ${cpu.toFixed(0).padStart(4)} µs CPU each, ` +
        `${(cpu / bareCpu).toFixed(2)} × bare`,
    );
  }
}

function bodyOf(payload: (typeof SIZES)[number]): Buffer {
  const fleet = { seed: 1, profiles: { 'ubuntu-24.04': 1 }, payload, checkIntervalSeconds: 30 };
  const writer = compilePayloads(fleet);
  const out = Buffer.alloc(writer.maxCheckdataBytes);
  const checkdata = out.subarray(0, writer.writeCheckdata(out, 0, 1, Date.UTC(2026, 0, 1)));
  const credentials = `,"agentuuid":"${UUID}","password":"${PASSWORD}"}`;
  return Buffer.concat([Buffer.from('{"checkdata":'), checkdata, Buffer.from(credentials)]);
}

function luaScript(bodyFile: string): string {
  return `
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "X-OITC-API"
local file = io.open("${bodyFile}", "rb")
wrk.body = file:read("*a")
file:close()
done = function(summary) io.write("REQUESTS ", summary.requests, " FAILED ", summary.errors.status, "\\n") end
`;
}

async function measure(server: (typeof SERVERS)[number], script: string): Promise<Measure> {
  const entry = resolve(import.meta.dirname, 'served-push.ts');
  const child = spawn(process.execPath, [entry, server, UUID, PASSWORD], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const port = Number((await lines.next()).value);
  const url = `http://127.0.0.1:${port}${ENDPOINT_PATHS.submit_checkdata}`;
  const flags = ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, '-s', script, url];
  const report = execFileSync('wrk', flags, { encoding: 'utf8' });
  const [, requests, failed] = /REQUESTS (\d+) FAILED (\d+)/.exec(report) ?? [];
  if (failed !== '0') throw new Error(`${server} did not answer every push with success:\n${report}`);
  child.stdin.end();
  const cpu = Number((await lines.next()).value);
  await once(child, 'exit');
  return { perSecond: Number(requests) / SECONDS, cpuMicros: cpu / Number(requests) };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

if (import.meta.main) await benchMonitoringServer();
