import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeVariables, expandVariables } from '../../../src/scenario/reading/variables.ts';

const environment = { HOST: 'srv', EMPTY: '' };

describe('variables in a text', () => {
  it.each([
    ['http://${HOST}/x', 'http://srv/x'],
    ['${HOST:-other}', 'srv'],
    ['${GONE:-other}', 'other'],
    ['${GONE:-}', ''],
    ['${EMPTY:-other}', 'other'],
    ['${EMPTY}', ''],
    ['$${HOST}', '${HOST}'],
    ['$HOST $5', '$HOST $5'],
    ['${HOST}${HOST}', 'srvsrv'],
  ])('%j becomes %j', (text, expanded) => {
    expect(expandVariables(text, environment)).toEqual({ text: expanded, problems: [] });
  });

  it.each(['${GONE}', '${}', '${1A}', '${A B}', '${HOST', '${HOST-x}'])('%j cannot be expanded', (text) => {
    expect(expandVariables(text, environment).problems).toHaveLength(1);
  });

  it('are not expanded if escaped', () => {
    const texts = fc
      .array(fc.oneof(fc.constantFrom('$', '{', '}', '${HOST}'), fc.string()))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        expect(expandVariables(escapeVariables(text), environment)).toEqual({ text, problems: [] });
      }),
    );
  });
});
