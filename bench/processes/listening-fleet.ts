import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { readHostData } from '../../src/base/storage/host-data.ts';
import { ALONE, startRun } from '../../src/run/run.ts';
import { parseScenario } from '../../src/scenario/reading/parse.ts';

/**
 * The process under load of `listeners.ts` and `stored-listeners.ts`. Runs the given text of a scenario with one worker. Prints the
 * resources it has used when the run has started, and again for each line on stdin. Exits when stdin ends.
 */
const [text = ''] = process.argv.slice(2);
const parsed = parseScenario(
  { text, file: '/bench.yaml' },
  { environment: {}, settings: [], hostData: readHostData() },
);
if (parsed.kind === 'problems') throw new Error(JSON.stringify(parsed.problems));
createInterface(process.stdin)
  .on('line', tell)
  .on('close', () => process.exit());
const order = { ...ALONE, scenario: parsed.scenario, workers: 1, resultsFolder: undefined };
await startRun(order, ({ kind }) => {
  if (kind === 'started') tell();
}).outcome;

function tell(): void {
  const { user, system } = process.cpuUsage();
  const used = { ageMs: performance.now(), cpuMicros: user + system, rssBytes: process.memoryUsage.rss() };
  process.stdout.write(`${JSON.stringify(used)}\n`);
}
