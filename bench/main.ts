import { benchListeners } from './listeners.ts';
import { benchMonitoringServer } from './monitoring-server.ts';
import { benchPayloads } from './payloads.ts';
import { missingOf } from './programs.ts';
import { benchPushCost } from './push-cost.ts';

/** Each states ratios within one run: absolute figures differ from machine to machine. Names as arguments choose. */
const BENCHMARKS = [
  { name: 'payloads', needs: [], run: benchPayloads },
  { name: 'push-cost', needs: ['nginx', 'wrk'], run: benchPushCost },
  { name: 'monitoring-server', needs: ['wrk'], run: benchMonitoringServer },
  { name: 'listeners', needs: ['wrk'], run: benchListeners },
];

const chosen = process.argv.slice(2);
for (const { name, needs, run } of BENCHMARKS) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const missing = missingOf(needs);
  process.stdout.write(`${name}${missing.length > 0 ? `: skipped, ${missing.join(' and ')} not found` : ''}\n`);
  if (missing.length === 0) await run();
}
