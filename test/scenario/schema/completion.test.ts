import { describe, expect, it } from 'vitest';
import { MEASURED_OPERATIONS } from '../../../src/base/protocol/operations.ts';
import { type JsonSchema, scenarioJsonSchema } from '../../../src/scenario/json-schema.ts';
import { SMALLEST } from '../read-scenario.ts';
import { placesOf } from './places.ts';
import { schemaErrorsOf } from './schema-errors.ts';

const PUBLISHED = placesOf(scenarioJsonSchema());

/** What an editor offers at a place: the keys, constants, choices and examples of the published schema. */
function offeredAt(place: string): readonly unknown[] {
  return PUBLISHED.filter(({ path }) => path === place).flatMap(({ schema }) => offersOf(schema));
}

function offersOf({ properties = {}, const: only, enum: choices = [], examples = [], propertyNames }: JsonSchema) {
  const names = [propertyNames, ...(propertyNames?.anyOf ?? [])].flatMap((one) => one?.enum ?? []);
  return [...Object.keys(properties), ...(only === undefined ? [] : [only]), ...choices, ...examples, ...names];
}

describe('an editor with the schema', () => {
  it('offers every operation, delivery and listeners as keys of thresholds', () => {
    expect(offeredAt('thresholds')).toEqual([...MEASURED_OPERATIONS, 'delivery', 'listeners']);
  });

  it.each([...['thresholds.checkdata[]', 'thresholds.poll[]', 'thresholds.checkdata{phase:steady}[]']])(
    'offers typical conditions at %s',
    (place) => {
      expect(offeredAt(place)).toEqual(
        expect.arrayContaining([
          'p(99) < 250ms',
          'avg < 50ms',
          'error_rate < 0.1%',
          'dropped_rate < 1%',
          'rate > 100/s',
        ]),
      );
    },
  );

  it('offers different conditions for delivery', () => {
    const offers = offeredAt('thresholds.delivery[]');
    expect(offers.filter((offer) => /^[a-z]+ /.test(String(offer)))).toEqual([
      'lost == 0',
      'duplicated == 0',
      'unknown < 10',
    ]);
  });

  it.each([
    ['target.timeout', '29s'],
    ['fleet.payload', 'typical'],
    ['fleet.profiles', 'windows-11'],
    ['target.faults[].do', 'outage'],
    ['events[].cohort', '10..19'],
    ['events[].do', 'disconnect'],
    ['phases[].checkdata', 'every'],
  ])('offers valid values at %s', (place, expected) => {
    expect(offeredAt(place)).toContain(expected);
  });

  it('offers no example that it cannot insert', () => {
    const offers = PUBLISHED.flatMap(({ schema }) => schema.examples ?? []).flat();
    expect(offers.filter((offer) => typeof offer === 'object')).toEqual([]);
  });

  it.each([
    'chekdata: ["count > 1"]',
    '"checkdata{steady}": ["count > 1"]',
    'checkdata: []',
    'checkdata: ["p99 < 250ms"]',
    'checkdata: ["p(99) < 250"]',
    'checkdata: ["error_rate < 5"]',
    'delivery: ["p(99) < 1s"]',
  ])('marks the threshold %s', (threshold) => {
    expect(schemaErrorsOf(`${SMALLEST}thresholds: { ${threshold} }`)).not.toEqual([]);
  });
});
