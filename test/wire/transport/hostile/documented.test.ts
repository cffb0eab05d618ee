import { expect, it } from 'vitest';
import { ATTACK_NAMES } from '../../../../src/base/protocol/attacks.ts';
import { DOCUMENTED_ANSWERS } from './documented.ts';

it('lists every attack in docs/how-to/hostile-agents.md', () => {
  expect([...DOCUMENTED_ANSWERS.keys()]).toEqual(ATTACK_NAMES);
});
