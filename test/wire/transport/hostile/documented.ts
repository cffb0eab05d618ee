import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DialectName } from '../../../../src/base/protocol/push.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/how-to/hostile-agents.md'), 'utf8');

/** The embedded server's answer: a status, or how the attack ends without one. */
export type AttackAnswer = number | 'closed' | 'unanswered';

/** What docs/how-to/hostile-agents.md says that the embedded server answers, by attack, in the order of its table. */
export const DOCUMENTED_ANSWERS: ReadonlyMap<string, Readonly<Record<DialectName, AttackAnswer>>> = new Map(
  PAGE.split('\n').flatMap((line) => {
    const [, how, , , , answers] = /^\| `(.+?)` \|( [^|]+ \|)( [^|]+ \|)( (.+) \|)$/.exec(line) ?? [];
    if (how === undefined || answers === undefined) return [];
    const [documented = answers, shipped = documented] = answers.split(', ');
    return [[how, { documented: answerOf(documented), shipped: answerOf(shipped) }]];
  }),
);

function answerOf(text: string): AttackAnswer {
  return text === 'closed' || text === 'unanswered' ? text : Number(text);
}
