import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMAND, ENVIRONMENT, folder } from './muster.ts';

const programs = join(folder, 'programs');
mkdirSync(programs);
writeFileSync(join(programs, 'muster'), `#!/bin/sh\nexec ${COMMAND.map((word) => `'${word}'`).join(' ')} "$@"\n`);
chmodSync(join(programs, 'muster'), 0o755);

const env = { ...ENVIRONMENT, PATH: [programs, process.env.PATH].join(delimiter) };

function fish(text: string) {
  return spawnSync('fish', ['--no-config', '-c', text], { cwd: folder, env, encoding: 'utf8' });
}

const unless = fish('true').status === 0 ? '' : ' (skipped: fish is not installed)';

describe.skipIf(unless !== '')(`the completion of fish${unless}`, () => {
  const completed = (typed: string): string[] =>
    fish(`muster completion fish | source; complete -C '${typed}'`).stdout.trimEnd().split('\n');

  it('offers commands and flags with their descriptions', () => {
    expect(completed('muster hist')).toEqual([expect.stringMatching(/^history\tList the runs/)]);
    expect(completed('muster run --durat')).toEqual([expect.stringMatching(/^--duration\tDuration of the longest/)]);
  });

  it('offers kinds of events after ctl do', () => {
    expect(completed('muster ctl do disk')).toContain('disk-full');
  });

  it('falls back to files', () => {
    writeFileSync(join(folder, 'evening.yaml'), '');
    expect(completed('muster run even')).toEqual(['evening.yaml']);
  });
});

it('the completion of bash offers commands and long flags', () => {
  const completed = (words: string, at: number): readonly string[] => {
    const script = `source <(muster completion bash); COMP_WORDS=(${words}); COMP_CWORD=${at}; _muster_complete; echo "\${COMPREPLY[@]}"`;
    return spawnSync('bash', ['-c', script], { cwd: folder, env, encoding: 'utf8' }).stdout.trim().split(' ');
  };
  expect(completed('muster hist', 1)).toEqual(['history']);
  const flags = completed('muster run --', 2);
  expect(flags).toContain('--duration');
  expect(flags.filter((flag) => flag.length < 4)).toEqual([]);
});
