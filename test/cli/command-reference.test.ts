import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandReference } from '../../scripts/command-reference.ts';
import { muster } from './muster.ts';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/reference/commands.md'), 'utf8');

const SECTIONS = PAGE.split(/^## /m);

/** The section of the page about a command, with the sections of shared flags that it refers to. */
function sectionOf(command: string): string {
  const own = SECTIONS.find((text) => text.startsWith(`muster ${command}\n`)) ?? '';
  const shared = SECTIONS.filter((text) => own.includes(`[${text.split('\n', 1)[0]?.toLowerCase()}](#`));
  return [own, ...shared].join('\n');
}

describe('the command reference', () => {
  it('in docs is current (npm run reference)', () => {
    expect(PAGE).toBe(commandReference());
  });

  it('has every command and flag of the help', async () => {
    const listed = async (...group: string[]) => {
      const { stdout } = await muster([...group, '--help']);
      return [...stdout.matchAll(/^ {2}muster ([a-z]+(?: [a-z]+)?)(?= )/gm)].map(([, name = '']) => name);
    };
    const ofCtl = await listed('ctl');
    const commands = [...(await listed()), ...ofCtl];
    expect(ofCtl.length).toBeGreaterThan(10);
    expect(commands.length).toBeGreaterThan(15);
    const missing: string[] = [];
    for (const command of commands) {
      const help = await muster([...command.split(' '), '--help']);
      const flags = [...help.stdout.matchAll(/^ +(?:-\w, +)?--([a-z-]+)/gm)].map(([, flag = '']) => flag);
      for (const flag of flags.filter((flag) => flag !== 'help' && flag !== 'version'))
        if (!new RegExp(`\`--${flag}\`(?: …)? \\|`).test(sectionOf(command))) missing.push(`${command} --${flag}`);
      if (sectionOf(command) === '') missing.push(command);
    }
    expect(missing).toEqual([]);
  });
});
