import { UserError } from '../../kernel/errors.ts';
import { onlyOne } from './scenario.ts';

/** The share, 0 to 1, of a percentage such as `5%`. Throws a `UserError` for anything else. */
export function percentageOf(flag: string, given: string): number {
  const text = onlyOne(flag, given);
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (percent !== undefined) return Number(percent) / 100;
  throw new UserError(`--${flag}: expected a percentage such as 5%, found ${JSON.stringify(text)}`);
}
