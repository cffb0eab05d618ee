import type { DialectName } from '../../src/base/protocol/push.ts';
import type { Rule } from '../../src/conformance/case.ts';

/** Whether the page says that Muster breaks the rule with a dialect. */
export function isDeviation({ muster }: Pick<Rule, 'muster'>, dialect: DialectName): boolean {
  return typeof muster === 'string' || muster?.[dialect] !== undefined;
}
