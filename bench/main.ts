import { benchPushCost, missingPrograms } from './push-cost.ts';

/** Each states ratios within one run: absolute figures differ from machine to machine. */
const BENCHMARKS = [{ name: 'push cost', needs: missingPrograms, run: benchPushCost }];

for (const { name, needs, run } of BENCHMARKS) {
  const missing = needs();
  process.stdout.write(`${name}${missing.length > 0 ? `: skipped, ${missing.join(' and ')} not found` : ''}\n`);
  if (missing.length === 0) await run();
}
