import { describe, expect, it } from 'vitest';
import { problemsOf } from '../read-scenario.ts';
import { PLACES, type Place } from './places.ts';
import { SAMPLES } from './sample-files.ts';
import { schemaErrorsOf } from './schema-errors.ts';

let samples = SAMPLES;

/** The examples and defaults of each key, with a valid file that contains them; keys that sections share, such as `at`, count once. */
const SHOWN = [...new Map(PLACES.flatMap(shownAt)).values()].map(({ path, value, part }) => {
  return { path, value, file: validFileWith(part) };
});

function validFileWith(part: unknown): string | undefined {
  for (const fileWith of samples) {
    const text = fileWith(part);
    if (problemsOf(text).length > 0) continue;
    // The next part probably belongs to the same section.
    samples = [fileWith, ...SAMPLES];
    return text;
  }
  return undefined;
}

function shownAt({ path, kind, schema, holding }: Place) {
  const { examples = [], default: preset } = schema;
  const key = kind.endsWith('key') ? path.split('.').at(-1) : undefined;
  return [...examples, ...(preset === undefined ? [] : [preset])].map(
    (value) => [JSON.stringify([key, schema, value]), { path, value, part: holding(value) }] as const,
  );
}

describe('the schema of scenarios', () => {
  it('has only examples and defaults that are valid in some scenario', () => {
    expect(SHOWN.length).toBeGreaterThan(100);
    expect(SHOWN.filter(({ file }) => file === undefined)).toEqual([]);
  });

  it('has no example or default that an editor marks as wrong', () => {
    const marks = SHOWN.map(({ path, value, file = '' }) => ({ path, value, errors: schemaErrorsOf(file) }));
    expect(marks.filter(({ errors }) => errors.length > 0)).toEqual([]);
  });
});
