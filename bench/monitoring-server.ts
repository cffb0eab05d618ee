import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { ENDPOINT_PATHS } from '../src/base/protocol/push.ts';
import { type OnePush, onePush, PASSWORD } from './clients/one-push.ts';
import { pushWithWrk } from './clients/run-wrk.ts';
import type { Benchmark, Figures } from './harness/benchmark.ts';
import { PINNING, pinned } from './processes/pinning.ts';

const CONNECTIONS = 64;
const ENTRY = resolve(import.meta.dirname, 'processes/served-push.ts');

/** Compared with a bare `node:http` server that reads and discards. wrk generates the load. */
export const monitoringServer: Benchmark = {
  name: 'monitoring-server',
  question: 'What does a push cost the embedded monitoring server?',
  needs: ['wrk'],
  minutes: { quick: 1, full: 3 },
  figures: { cpuUs: 'CPU µs per push', perSecond: 'pushes/s' },
  ratio: { of: 'cpuUs', to: 'bare' },
  async *cases({ quick, note }) {
    note(PINNING);
    const seconds = quick ? 1 : 3;
    for (const payload of ['lean', 'typical', 'full'] as const) {
      const push = onePush(payload);
      const variants = ['bare', 'documented', 'shipped'].map((name) => ({
        name,
        sample: () => sampleServer(name, push, seconds),
      }));
      yield { name: `${payload}, ${push.sizeText}, ${CONNECTIONS} connections`, variants };
    }
  },
};

async function sampleServer(name: string, { uuid, body }: OnePush, seconds: number): Promise<Figures> {
  const [program, ...args] = pinned('sink', [process.execPath, ENTRY, name, uuid, PASSWORD]);
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const url = `http://127.0.0.1:${(await lines.next()).value}${ENDPOINT_PATHS.submit_checkdata}`;
  const requests = await pushWithWrk({ url, body, connections: CONNECTIONS, seconds });
  child.stdin.end();
  const cpuMicros = Number((await lines.next()).value);
  await once(child, 'exit');
  return { cpuUs: cpuMicros / requests, perSecond: requests / seconds };
}
