import { describe, expect, it } from 'vitest';
import { MEASURED_OPERATIONS } from '../../../src/ground/protocol/operations.ts';
import { SMALLEST } from '../read-scenario.ts';
import { marksIn, offeredIn } from './editor.ts';
import { PLACES } from './places.ts';

describe('an editor', () => {
  it('offers every operation, delivery and listeners as keys of thresholds', async () => {
    expect(await offeredIn('thresholds:\n  ▮')).toEqual([...MEASURED_OPERATIONS, 'delivery', 'listeners']);
  });

  it.each([
    'checkdata:\n    - ▮',
    'poll: [▮]',
    'register{phase:enroll}:\n    - ▮',
    '"serve-checkdata{phase:steady}": ["▮"]',
  ])('offers typical conditions at %j', async (threshold) => {
    expect(await offeredIn(`thresholds:\n  ${threshold}`)).toEqual(
      expect.arrayContaining(['p(99) < 250ms', 'avg < 50ms', 'error_rate < 0.1%', 'dropped_rate < 1%', 'rate > 100/s']),
    );
  });

  it('offers different conditions for delivery', async () => {
    const offers = await offeredIn('thresholds:\n  delivery:\n    - ▮');
    expect(offers).toEqual(['lost == 0', 'duplicated == 0', 'unknown < 10']);
  });

  it.each([
    ['target:\n  timeout: ▮', '29s'],
    ['fleet:\n  payload: ▮', 'typical'],
    ['fleet:\n  profiles:\n    ▮', 'windows-11'],
    ['target:\n  faults:\n    - do: ▮', 'outage'],
    ['events:\n  - do: reboot\n    cohort: ▮', '10..19'],
    ['events:\n  - do: ▮', 'disconnect'],
    ['phases:\n  - name: steady\n    checkdata:\n      ▮', 'every'],
  ])('offers valid values at %j', async (text, expected) => {
    expect(await offeredIn(text)).toContain(expected);
  });

  it('offers no example that it cannot insert', async () => {
    const sections = PLACES.filter(({ path }) => !/[.[(]/.test(path)).map(({ path }) => `${path}: ▮`);
    const offers = await Promise.all([...sections, 'target:\n  faults: ▮'].map(offeredIn));
    expect(offers.flat().filter((offer) => /object|[{]/.test(offer))).toEqual([]);
  });

  it.each([
    'chekdata: ["count > 1"]',
    '"checkdata{steady}": ["count > 1"]',
    'checkdata: []',
    'checkdata: ["p99 < 250ms"]',
    'checkdata: ["p(99) < 250"]',
    'checkdata: ["error_rate < 5"]',
    'delivery: ["p(99) < 1s"]',
  ])('marks the threshold %s', async (threshold) => {
    expect(await marksIn(`${SMALLEST}thresholds: { ${threshold} }`)).not.toEqual([]);
  });
});
