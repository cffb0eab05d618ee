import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { muster } from './cli/muster.ts';

const EXAMPLES = resolve(import.meta.dirname, '../examples');
const UNIT = resolve(EXAMPLES, 'systemd/muster-fleet.service');

/** Returns the error of the command line for these arguments with an existing scenario, or `undefined` if it accepts them. */
async function mistakeIn(words: readonly string[], env: Record<string, string> = {}): Promise<string | undefined> {
  expect(words[1]).toBe('/etc/muster/staging.yaml');
  // All flags are parsed before the scenario is read. This scenario has no agents, so no fleet starts.
  const { stderr } = await muster([...words.toSpliced(1, 1, '-'), '--agents', '0'], { env, stdin: STAGING });
  return /fleet\.agents: expected/.test(stderr) ? undefined : stderr;
}

const STAGING = readFileSync(resolve(EXAMPLES, 'staging.yaml'), 'utf8');

/** Variables in the help of the command, and on the page about controlling a fleet. */
async function knownVariables(): Promise<readonly string[]> {
  const { stdout } = await muster(['fleet', '--help']);
  const page = readFileSync(resolve(EXAMPLES, '../docs/how-to/control-a-fleet.md'), 'utf8');
  return `${stdout}${page}`.match(/MUSTER_\w+/g) ?? [];
}

describe('examples/systemd/muster-fleet.service', () => {
  const settings = readFileSync(UNIT, 'utf8')
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const);
  const valuesOf = (key: string) => settings.filter(([name]) => name === key).map(([, value]) => value);
  const withoutSystemd = spawnSync('systemd-analyze', ['--version']).status !== 0;

  it.skipIf(withoutSystemd)(
    `is a valid systemd unit${withoutSystemd ? ' (skipped: systemd-analyze is not installed)' : ''}`,
    () => {
      const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', UNIT], { encoding: 'utf8' });
      expect([status, stdout, stderr]).toEqual([0, '', '']);
    },
  );

  it('starts a fleet with arguments that the command line accepts', async () => {
    const [program, ...words] = valuesOf('ExecStart')[0]?.split(' ') ?? [];
    expect([program, words[0]]).toEqual(['/usr/bin/env', 'muster']);
    expect(await mistakeIn(words.slice(1))).toBeUndefined();
    expect(await mistakeIn([...words.slice(1), '--detach'])).toMatch(/detach/);
  });

  it("keeps the files of the fleet in systemd's state folder, and does not restart after permanent errors", () => {
    expect(valuesOf('ExecStart')[0]).toContain(`--data /var/lib/${valuesOf('StateDirectory')[0]} `);
    expect(valuesOf('RestartPreventExitStatus')).toEqual(['104 112']);
  });
});

const composeSchema = z.object({
  services: z.object({
    fleet: z.object({
      image: z.string(),
      command: z.array(z.string()),
      environment: z.record(z.string(), z.string()),
      ports: z.array(z.string()),
      volumes: z.array(z.string()),
    }),
  }),
  volumes: z.record(z.string(), z.object({})),
});

describe('examples/compose/compose.yaml', () => {
  const text = readFileSync(resolve(EXAMPLES, 'compose/compose.yaml'), 'utf8');
  const { services, volumes } = composeSchema.parse(parse(text));
  const { image, command, environment, ports, volumes: mounts } = services.fleet;
  /** Substitutes variables as compose does. */
  const filled = (written: string) =>
    written
      .replaceAll(/\$\{MUSTER_TARGET:[^}]*\}/g, 'https://mon.example')
      .replaceAll(/\$\{MUSTER_ALLOW:[^}]*\}/g, 'mon.example');

  it('starts a fleet with arguments that the command line accepts, and variables that it knows', async () => {
    expect(await mistakeIn(command.map(filled))).toBeUndefined();
    const known = await knownVariables();
    expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([]);
  });

  it('keeps the files of the fleet in a volume, and exposes the page only to this machine', () => {
    const [, folder = ''] = mounts.find((mount) => mount.startsWith('files:'))?.split(':') ?? [];
    expect(command).toContain(folder);
    expect(Object.keys(volumes)).toEqual(['files']);
    const port = command[command.indexOf('--control') + 1]?.split(':')[1];
    expect(ports).toEqual([`127.0.0.1:${port}:${port}`]);
  });

  it('uses the image that docs/how-to/install.md builds', () => {
    expect(readFileSync(resolve(EXAMPLES, '../docs/how-to/install.md'), 'utf8')).toContain(`docker build -t ${image} `);
  });
});
