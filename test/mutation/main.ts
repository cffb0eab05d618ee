import { globSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { randomStream } from '../../src/kernel/random.ts';

/** Changes a room of the domain in small ways, one at a time, and tells which changes no test notices. */

const ROOMS = ['agent', 'faults', 'kernel', 'load', 'metrics', 'notation', 'protocol', 'scenario'];
const USAGE = `Usage: npm run mutation -- <${ROOMS.join(' | ')}> [--seconds 120] [--seed 1]`;
const LINES_PER_BATCH = 25;

type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

const { values, positionals } = parseArgs({
  options: { seconds: { type: 'string', default: '120' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
});
const room = positionals[0] ?? '';
const seconds = Number(values.seconds);
if (!ROOMS.includes(room) || positionals.length !== 1 || !(seconds > 0)) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}

const mutants = await mutate(shuffled(linesOf(room), Number(values.seed)), performance.now() + seconds * 1000);
process.stdout.write(`${mutants.filter(isUnnoticed).map(told).join('\n')}\n\n${score(mutants)}\n`);

/** Takes batch after batch until the time is over; the last one may exceed it. */
async function mutate(lines: readonly string[], untilMs: number): Promise<readonly Mutant[]> {
  const found: Mutant[] = [];
  for (let at = 0; at < lines.length && performance.now() < untilMs; at += LINES_PER_BATCH) {
    found.push(...(await runBatch(lines.slice(at, at + LINES_PER_BATCH))));
    process.stderr.write(`${Math.min(at + LINES_PER_BATCH, lines.length)} of ${lines.length} lines\n`);
  }
  return found.filter(({ status }) => ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(status));
}

function runBatch(lines: readonly string[]): Promise<readonly Mutant[]> {
  return new Stryker({ configFile: 'test/mutation/stryker.json', mutate: [...lines] }).runMutationTest();
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

function told({ fileName, location: { start, end }, replacement, status }: Mutant): string {
  const text = readFileSync(fileName, 'utf8').split('\n')[start.line - 1] ?? '';
  const place = `${fileName.slice(process.cwd().length + 1)}:${start.line}`;
  return `${status} ${place}\n  ${text.trim()}\n  ${text.slice(start.column - 1, end.column - 1)} → ${replacement}`;
}

function score(all: readonly Mutant[]): string {
  const noticed = all.filter((mutant) => !isUnnoticed(mutant)).length;
  return `${room}: ${noticed} of ${all.length} changes noticed (${Math.round((noticed / all.length) * 100)} %), seed ${values.seed}`;
}
