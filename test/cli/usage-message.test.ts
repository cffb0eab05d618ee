import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { YARGS_STRINGS } from '../../src/cli/usage-message.ts';
import { muster } from './muster.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const sentences = JSON.parse(readFileSync(resolve(ROOT, 'node_modules/yargs/locales/en.json'), 'utf8'));

describe('the sentences of yargs', () => {
  it('are replaced as the installed version has them, some in singular and plural', () => {
    const forms = (strings: Readonly<Record<string, unknown>>) =>
      Object.keys(YARGS_STRINGS).map((key) => [key, typeof strings[key]]);
    expect(forms(YARGS_STRINGS)).toEqual(forms(sentences));
  });

  it.each(['a\nb', '%s', '"', '__proto__', 'a, b'])('may quote %j', async (text) => {
    const argument = await muster(['schema', 'scenario', text]);
    expect([argument.code, argument.stderr]).toEqual([
      104,
      expect.stringMatching(/^muster schema expects no more arguments/),
    ]);
    const flag = await muster(['schema', `--${text}`]);
    expect([flag.code, flag.stderr]).toEqual([104, expect.stringMatching(/^Unknown flag --/)]);
  });
});
