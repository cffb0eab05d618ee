import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { getWithWrk } from './clients/run-wrk.ts';
import type { Benchmark, Case } from './harness/benchmark.ts';
import { connectionsWithin } from './harness/descriptors.ts';
import { costOf, type FleetProcess, startFleet, unlessDown } from './processes/fleet-process.ts';
import { PINNING } from './processes/pinning.ts';

const CONNECTIONS = 64;
const PORT = 3333;
const LISTEN = `127.30.0.0/16:${PORT}`;
/** Agents with short intervals have their first result after two seconds. */
const FIRST_RESULT_MS = 2500;

/** Agents that listen and are polled, in their own process. */
export const listeners: Benchmark = {
  name: 'listeners',
  question: 'How soon do agents listen, with how much memory, and what does an answer cost?',
  needs: ['wrk'],
  minutes: { quick: 1, full: 4 },
  figures: {
    readyMs: 'ms to ready',
    cpuMs: 'CPU ms to ready',
    bytesPerListener: 'B per listener',
    cpuUs: 'CPU µs per answer',
    perSecond: 'answers/s',
  },
  async *cases({ quick, note }) {
    note(PINNING);
    const agents = connectionsWithin(quick ? 1000 : 10_000, note);
    yield openingCase(agents);
    const fleet = await startFleet(polled(agents, 'lean'));
    try {
      await pause(FIRST_RESULT_MS);
      yield askingCase(`${agents} agents asked in turn, lean`, { 'a connection each': () => sweep(agents) }, fleet);
    } finally {
      await fleet.stop();
    }
    yield* answerCases(quick ? 1 : 2);
  },
};

/** The same fleet with and without web servers. */
function openingCase(agents: number): Case {
  const phases = [{ name: 'quiet', duration: '1m', register: { rate: '1/m' } }];
  const fleet = { agents, connections: { shared: CONNECTIONS } };
  const plain = { name: 'bench', target: { url: 'embedded' }, fleet, phases };
  const sample = async () => {
    const without = await opened(plain);
    const { rssBytes, ...listening } = await opened({ ...plain, webServer: { listen: LISTEN } });
    return { ...listening, bytesPerListener: (rssBytes - without.rssBytes) / agents };
  };
  const without = async () => {
    const { readyMs, cpuMs } = await opened(plain);
    return { readyMs, cpuMs };
  };
  return {
    name: `${agents} agents start`,
    variants: [
      { name: 'without web servers', sample: without },
      { name: 'listening', sample },
    ],
  };
}

async function opened(scenario: object) {
  const fleet = await startFleet(scenario);
  await pause(500);
  const { rssBytes } = await fleet.used();
  await fleet.stop();
  return { readyMs: fleet.atStart.ageMs, cpuMs: fleet.atStart.cpuMicros / 1000, rssBytes };
}

/** Polls one agent repeatedly, over kept and over new connections. */
async function* answerCases(seconds: number): AsyncGenerator<Case> {
  const asked = { url: `http://${addressOf(0)}:${PORT}/`, connections: CONNECTIONS, seconds };
  for (const payload of ['lean', 'typical', 'full']) {
    const fleet = await startFleet(polled(1, payload));
    try {
      await pause(FIRST_RESULT_MS);
      const ways = {
        'kept connections': () => getWithWrk(asked, []),
        'a connection each': () => getWithWrk(asked, ['Connection: close']),
      };
      yield askingCase(`one agent, ${payload}`, ways, fleet);
    } finally {
      await fleet.stop();
    }
  }
}

/** Each way resolves to the number of answers. */
function askingCase(name: string, ways: Readonly<Record<string, () => Promise<number>>>, fleet: FleetProcess): Case {
  const variants = Object.entries(ways).map(([way, ask]) => ({ name: way, sample: () => costOf(fleet, ask) }));
  return { name, variants };
}

/** Polls each agent once. */
async function sweep(agents: number): Promise<number> {
  let next = 0;
  let answers = 0;
  const lane = async () => {
    for (let agent = next++; agent < agents; agent = next++) {
      const wasThere = await askOnce(addressOf(agent)).then(() => true, unlessDown);
      if (wasThere) answers++;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  return answers;
}

async function askOnce(host: string): Promise<void> {
  const socket = connect(PORT, host);
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  const answer = await text(socket);
  if (!answer.startsWith('HTTP/1.1 200 ')) throw new Error(`${host} answered ${answer.slice(0, 80)}`);
}

function polled(agents: number, payload: string): object {
  return {
    name: 'bench',
    fleet: { agents, payload },
    webServer: { listen: LISTEN, interval: '5s' },
    phases: [{ name: 'polled', duration: '5m' }],
  };
}

function addressOf(agent: number): string {
  const host = agent + 1;
  return `127.30.${host >>> 8}.${host & 0xff}`;
}
