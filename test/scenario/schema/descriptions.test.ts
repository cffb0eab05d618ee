import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../src/scenario/json-schema.ts';
import { PLACES, type Place } from './places.ts';

const pathsOf = (isFaulty: (place: Place) => boolean) => PLACES.filter(isFaulty).map(({ path }) => path);
const isKeyOrItem = ({ kind }: Place) => kind !== 'alternative';

describe('the schema of scenarios', () => {
  it('reaches down to the last key', () => {
    expect(PLACES.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        ...['target.tls.serve.cert', 'target.faults[](latency).delay.sigma', 'fleet.payload.disks', 'target.allow[]'],
        ...['thresholds.poll[]', 'thresholds.checkdata{phase:steady}[]', 'fleet.profiles.ubuntu-24.04'],
      ]),
    );
  });

  it('says in whole sentences of every key and item what it is', () => {
    expect(pathsOf((place) => isKeyOrItem(place) && !/^.+\.$/.test(place.schema.description ?? ''))).toEqual([]);
  });

  it('says of every key that may be left out what then holds', () => {
    const isSaid = ({ default: preset, description = '' }: JsonSchema) =>
      preset !== undefined || / Left out: .+\.$/.test(description);
    expect(pathsOf(({ kind, schema }) => kind === 'optional key' && !isSaid(schema))).toEqual([]);
  });

  it('shows how every value is written that is neither a choice nor a section', () => {
    const isShown = ({ examples, enum: choices, const: only, type, properties, oneOf, anyOf }: JsonSchema): boolean =>
      [examples, choices, only, properties, oneOf].some((shown) => shown !== undefined) ||
      type === 'boolean' ||
      anyOf?.every(isShown) === true;
    expect(pathsOf((place) => isKeyOrItem(place) && !isShown(place.schema))).toEqual([]);
  });
});
