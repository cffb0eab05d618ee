import { expect, it } from 'vitest';
import { muster, resultsOf, scenario, WITHOUT_FAULT } from './muster.ts';

it('a run has its incidents at their times and on their cohort: clocks that are set back once', async () => {
  const file = scenario(
    'skewed',
    `fleet: { agents: 40, payload: lean }
machine: { incidents: [{ do: clock-skew, offset: -5m, at: steady+750ms, cohort: 10..19 }] }
phases:
  - { name: enrol, register: { rate: 100/s } }
  - { name: steady, duration: 3s, checkdata: { every: 1s } }`,
  );
  for (const workers of ['1', '2']) {
    expect(WITHOUT_FAULT).toContain((await muster('run', file, '--workers', workers, '--quiet')).code);
    const { delivery } = resultsOf('skewed').summary;
    const submitted = delivery.observed ? delivery.operations.find((it) => it.operation === 'checkdata') : undefined;
    expect(submitted?.documents?.backward).toBe(10);
  }
});
