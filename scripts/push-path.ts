import { Session } from 'node:inspector/promises';
import { relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { monotonicClock } from '../src/ground/runtime/event-loop.ts';
import { readHostData } from '../src/ground/storage/host-data.ts';
import { parseScenario } from '../src/scenario/reading/parse.ts';
import { startMonitoringServer } from '../src/server/start.ts';
import { noPasswords } from '../src/wire/agent/passwords.ts';
import type { FromShard, ToShard } from '../src/workers/messages.ts';
import { runShard } from '../src/workers/shard-entry.ts';

/**
 * Prints the number of files and functions of `src`, by room, that one push of check data runs through: from its due time in the
 * engine to the answer of the embedded server and its histograms. Run `node scripts/push-path.ts`, with `--files` for their names.
 * V8 counts the calls between two pushes, with shard and server in this thread.
 */
const SOURCES = resolve(import.meta.dirname, '../src');
const EVERY_MS = 1000;
/** The first pushes register the agent and compile what later ones use. */
const WARM_UP_MS = 5.5 * EVERY_MS;

type Touched = { readonly file: string; readonly functions: number };

async function pushOnce(): Promise<readonly Touched[]> {
  const server = await startMonitoringServer({ dialect: 'documented', registrations: [] });
  const shard = shardAgainst(server.port);
  await shard.ready;
  shard.send({ kind: 'start', atMs: monotonicClock(), hostMs: Date.now(), epochMs: Date.now() });
  await sleep(WARM_UP_MS);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await sleep(EVERY_MS);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  shard.send({ kind: 'stop' });
  await shard.ended;
  return result
    .filter(({ url }) => url.startsWith('file:') && fileURLToPath(url).startsWith(SOURCES))
    .map(({ url, functions }) => ({
      file: relative(SOURCES, fileURLToPath(url)),
      functions: functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length,
    }))
    .filter(({ functions }) => functions > 0);
}

/** A shard with one agent, in this thread. */
function shardAgainst(port: number) {
  const hostData = readHostData();
  const url = `http://127.0.0.1:${port}`;
  const text = `
    target: { url: "${url}" }
    fleet: { agents: 1, seed: 1, profiles: { ubuntu-24.04: 1 } }
    phases: [{ name: steady, duration: 1m, checkdata: { every: ${EVERY_MS}ms } }]`;
  const parsed = parseScenario({ file: 'push-path.yaml', text }, { settings: [], environment: {}, hostData });
  if (!('scenario' in parsed)) throw new Error(JSON.stringify(parsed));
  const ready = Promise.withResolvers<void>();
  let send: (message: ToShard) => void = () => {};
  const ended = runShard(
    {
      scenario: parsed.scenario,
      worker: 0,
      workers: 1,
      shard: { index: 0, count: 1 },
      target: {
        bases: [{ url, addresses: ['127.0.0.1'], loopbackOnly: true, proxy: undefined }],
        tls: { verify: false, ca: undefined },
      },
      passwords: noPasswords(1),
      sources: { addresses: [], ports: undefined, beginAt: 0 },
      spareDials: 0,
      raisedMs: undefined,
      otherPasswords: [],
      durableCredentials: false,
      listening: undefined,
      debug: undefined,
    },
    {
      send: (message: FromShard) => {
        if (message.kind === 'ready') ready.resolve();
      },
      listen: (hear) => {
        send = hear;
      },
      close: () => {},
      closed: Promise.resolve(),
    },
    hostData,
  );
  return { ready: ready.promise, ended, send: (message: ToShard) => send(message) };
}

const touched = await pushOnce();
const lineOf = (name: string, files: readonly Touched[]): string => {
  const functions = files.reduce((sum, one) => sum + one.functions, 0);
  return `${name.padEnd(20)} ${String(files.length).padStart(4)} files ${String(functions).padStart(5)} functions\n`;
};
const rooms = [...Map.groupBy(touched, ({ file }) => file.split('/')[0] ?? '')].sort(
  ([, a], [, b]) => b.length - a.length,
);
for (const [room, files] of rooms) {
  process.stdout.write(lineOf(room, files));
  if (!process.argv.includes('--files')) continue;
  for (const { file, functions } of files) process.stdout.write(`  ${file} ${functions}\n`);
}
process.stdout.write(lineOf('all', touched));
process.exit();
