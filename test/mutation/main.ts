import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { randomStream } from '../../src/base/kernel/random.ts';

/**
 * Changes a module of the domain in small ways, one at a time, and tells which changes no test notices. Stryker, which does it, is
 * 50 MB that nothing else needs, so `npm run mutation` installs it beside what the lock file names.
 */

const MODULES = ['capacity', 'engine', 'base', 'load', 'metrics', 'scenario', 'server', 'wire'];
const USAGE = `Usage: npm run mutation -- <module> [--seconds 120] [--seed 1], a folder such as wire/agent of ${MODULES.join(', ')}`;
const LINES_PER_BATCH = 25;

/** Of a line that Stryker changes only after it ran. Most changes of such a line can be judged, but not those of what runs once. */
const LOADED = ' (also runs when its module is loaded: make the change by hand)';

/** Where Stryker writes what it found, as stryker.json has it; the schema is that of mutation-testing-elements. */
const REPORT = '.stryker-tmp/mutation.json';

type Place = { readonly line: number; readonly column: number };
type ReportedMutant = {
  readonly status: string;
  readonly replacement?: string;
  /** Whether its code also runs when its module is loaded, which is before Stryker makes the change. */
  readonly static?: boolean;
  readonly location: { readonly start: Place; readonly end: Place };
};
type Report = { readonly files: Readonly<Record<string, { readonly mutants: readonly ReportedMutant[] }>> };
type Mutant = ReportedMutant & { readonly file: string };

const { values, positionals } = parseArgs({
  options: { seconds: { type: 'string', default: '120' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
});
const module = positionals[0] ?? '';
const seconds = Number(values.seconds);
if (!MODULES.includes(module.split('/')[0] ?? '') || positionals.length !== 1 || !(seconds > 0)) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}

const mutants = mutate(shuffled(linesOf(module), Number(values.seed)), performance.now() + seconds * 1000);
process.stdout.write(`${mutants.filter(isUnnoticed).map(mutantText).join('\n')}\n\n${score(mutants)}\n`);

/** Takes batch after batch until the time is over; the last one may exceed it. */
function mutate(lines: readonly string[], untilMs: number): readonly Mutant[] {
  const found: Mutant[] = [];
  for (let at = 0; at < lines.length && performance.now() < untilMs; at += LINES_PER_BATCH) {
    found.push(...runBatch(lines.slice(at, at + LINES_PER_BATCH)));
    process.stderr.write(`${Math.min(at + LINES_PER_BATCH, lines.length)} of ${lines.length} lines\n`);
  }
  return found.filter(({ status }) => ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(status));
}

function runBatch(lines: readonly string[]): readonly Mutant[] {
  const flags = ['run', 'test/mutation/stryker.json', '--mutate', lines.join(',')];
  const { status } = spawnSync('npx', ['--no', 'stryker', ...flags], { stdio: ['ignore', process.stderr, 'inherit'] });
  if (status !== 0) process.exit(status ?? 1);
  const { files } = JSON.parse(readFileSync(REPORT, 'utf8')) as Report;
  return Object.entries(files).flatMap(([file, { mutants }]) => mutants.map((mutant) => ({ ...mutant, file })));
}

/** Each line of code as the range that Stryker takes. */
function linesOf(name: string): readonly string[] {
  return globSync(`src/${name}/**/*.ts`)
    .sort()
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          /^\s*(\/?\*|\/\/|import |\W*$)/.test(line) ? [] : [`${file}:${index + 1}-${index + 1}`],
        ),
    );
}

function shuffled(lines: readonly string[], seed: number): readonly string[] {
  const next = randomStream(seed);
  return lines
    .map((line) => ({ line, place: next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ line }) => line);
}

function isUnnoticed({ status }: Mutant): boolean {
  return status === 'Survived' || status === 'NoCoverage';
}

function mutantText({ file, location: { start, end }, replacement, status, static: atLoad }: Mutant): string {
  const text = readFileSync(file, 'utf8').split('\n')[start.line - 1] ?? '';
  const place = `${file}:${start.line}${atLoad ? LOADED : ''}`;
  return `${status} ${place}\n  ${text.trim()}\n  ${text.slice(start.column - 1, end.column - 1)} → ${replacement}`;
}

function score(all: readonly Mutant[]): string {
  const noticed = all.filter((mutant) => !isUnnoticed(mutant)).length;
  return `${module}: ${noticed} of ${all.length} changes noticed (${Math.round((noticed / all.length) * 100)} %), seed ${values.seed}`;
}
