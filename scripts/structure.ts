import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'acorn';
import { monotonicClock } from '../src/base/runtime/event-loop.ts';
import { readHostData } from '../src/base/storage/host-data.ts';
import { parseScenario } from '../src/scenario/reading/parse.ts';
import { startMonitoringServer } from '../src/server/start.ts';
import { noPasswords } from '../src/wire/agent/passwords.ts';
import type { FromShard, ToShard } from '../src/workers/messages.ts';
import { runShard } from '../src/workers/shard-entry.ts';

/**
 * Prints the size of `src` by module: files, lines, functions of more than 60 lines, and the files and functions that one push of
 * check data runs through, from its due time in the engine to the answer of the embedded server and its histograms. Run
 * `node scripts/structure.ts`, with `--files` for the files of the push, `--functions` for the long functions, and `--budgets` to lower the
 * budgets of modules to their present lines. V8 counts the calls
 * between two pushes, with shard and server in this thread. Data files are not counted.
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
        bases: [{ url, addresses: ['127.0.0.1'], reachedFrom: new Map(), loopbackOnly: true, proxy: undefined }],
        tls: { verify: false, ca: undefined },
      },
      passwords: noPasswords(1),
      sources: { addresses: [], ports: undefined, beginAt: 0 },
      spareDials: 0,
      firstStartedMs: undefined,
      otherPasswords: [],
      claims: false,
      durableCredentials: false,
      journal: undefined,
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

const LONG_LINES = 60;

type Source = { readonly file: string; readonly lines: number; readonly long: readonly LongFunction[] };
type LongFunction = { readonly name: string; readonly line: number; readonly lines: number };

function sources(): readonly Source[] {
  return globSync('**/*.{ts,js,cjs,css}', { cwd: SOURCES })
    .toSorted()
    .map((file) => {
      const text = readFileSync(join(SOURCES, file), 'utf8');
      return { file, lines: text.split('\n').length - 1, long: isParsed(file) ? longFunctions(text) : [] };
    });
}

// AssemblyScript has types that are no TypeScript.
const isParsed = (file: string): boolean => !file.endsWith('.css') && !file.includes('/assembly/');

/** The functions of more than 60 lines; one that only contains others counts, too. */
function longFunctions(text: string): readonly LongFunction[] {
  const found: LongFunction[] = [];
  const visit = (node: SyntaxNode, name: string): void => {
    const { type = '', loc } = node;
    const own = (node.id ?? node.key)?.name ?? name;
    const lines = loc === undefined ? 0 : loc.end.line - loc.start.line + 1;
    // A method is a function as the value of a property, with the same lines.
    if (/Function/.test(type) && lines > LONG_LINES) found.push({ name: own, line: loc?.start.line ?? 0, lines });
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, own);
  };
  const script = stripTypeScriptTypes(text).replace(/^#!.*/, '');
  visit(
    parse(script, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      locations: true,
      allowReturnOutsideFunction: true,
    }) as SyntaxNode,
    '',
  );
  return found;
}

type SyntaxNode = {
  readonly type?: string;
  readonly loc?: { readonly start: { readonly line: number }; readonly end: { readonly line: number } };
  readonly id?: { readonly name?: string };
  readonly key?: { readonly name?: string };
};

const isNode = (value: unknown): value is SyntaxNode => typeof value === 'object' && value !== null && 'type' in value;

const moduleOf = (file: string): string => file.split('/')[0] ?? '';
const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
const print = (name: string, columns: readonly (string | number)[]): void =>
  void process.stdout.write(`${name.padEnd(14)}${columns.map((one) => String(one).padStart(10)).join('')}\n`);

const all = sources();
const touched = await pushOnce();

function printRow(name: string, isIn: (file: string) => boolean): void {
  const files = all.filter(({ file }) => isIn(file));
  const ofPush = touched.filter(({ file }) => isIn(file));
  const long = files.flatMap((one) => one.long);
  const functions = total(ofPush.map((one) => one.functions));
  print(name, [files.length, total(files.map(({ lines }) => lines)), long.length, ofPush.length, functions]);
}

/** A budget rises by hand, in a commit that says why. */
function lowerBudgets(): void {
  const file = resolve(SOURCES, '../test/module-lines.tsv');
  const [head = '', ...rows] = readFileSync(file, 'utf8').trim().split('\n');
  const lowered = rows.map((row) => {
    const [module = '', budget] = row.split('\t');
    const own = all.filter(({ file }) => moduleOf(file) === module);
    return `${module}\t${Math.min(Number(budget), total(own.map(({ lines }) => lines)))}`;
  });
  writeFileSync(file, `${[head, ...lowered].join('\n')}\n`);
}

print('', ['files', 'lines', `> ${LONG_LINES} lines`, 'push files', 'functions']);
const modules = Map.groupBy(all, ({ file }) => moduleOf(file));
for (const module of modules.keys()) printRow(module, (file) => moduleOf(file) === module);
printRow('all', () => true);
if (process.argv.includes('--budgets')) lowerBudgets();
if (process.argv.includes('--files')) for (const { file, functions } of touched) print(file, [functions]);
if (process.argv.includes('--functions'))
  for (const { file, long } of all) for (const { name, line, lines } of long) print(`${file}:${line} ${name}`, [lines]);
process.exit();
