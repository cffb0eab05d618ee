import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../src/scenario/json-schema.ts';
import { PLACES, type Place } from './places.ts';

const pathsOf = (isFaulty: (place: Place) => boolean) => PLACES.filter(isFaulty).map(({ path }) => path);
const isKeyOrItem = ({ kind }: Place) => kind !== 'alternative';

describe('the schema of scenarios', () => {
  it('covers the most deeply nested keys', () => {
    expect(PLACES.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        ...['target.tls.serve.cert', 'target.faults[](latency).delay.sigma', 'fleet.payload.disks', 'target.allow[]'],
        ...['thresholds.poll[]', 'thresholds.checkdata{phase:steady}[]', 'fleet.profiles.ubuntu-24.04'],
      ]),
    );
  });

  it('describes every key and item in complete sentences', () => {
    expect(pathsOf((place) => isKeyOrItem(place) && !/^.+\.$/.test(place.schema.description ?? ''))).toEqual([]);
  });

  it('has a default, or says what applies if an optional key is missing', () => {
    const isSaid = ({ default: preset, description = '' }: JsonSchema) =>
      preset !== undefined || / Left out: .+\.$/.test(description);
    expect(pathsOf(({ kind, schema }) => kind === 'optional key' && !isSaid(schema))).toEqual([]);
  });

  it('has examples for every value that is neither a choice nor a section', () => {
    const isShown = ({ examples, enum: choices, const: only, type, properties, oneOf, anyOf }: JsonSchema): boolean =>
      [examples, choices, only, properties, oneOf].some((shown) => shown !== undefined) ||
      type === 'boolean' ||
      anyOf?.every(isShown) === true;
    expect(pathsOf((place) => isKeyOrItem(place) && !isShown(place.schema))).toEqual([]);
  });
});
