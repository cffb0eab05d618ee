import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { muster } from './muster.ts';

const cwd = mkdtempSync(join(tmpdir(), 'muster-manifest-'));
afterAll(() => rmSync(cwd, { recursive: true }));

const TARGET = "target: { url: 'https://mon.example', apiKey: '${MUSTER_API_KEY}', allow: [mon.example] }";
const REST = 'fleet: { agents: 100 }\nphases: [{ name: steady, duration: 10s, checkdata: { every: 5s } }]\n';
writeFileSync(join(cwd, 'Steady load.yaml'), `${TARGET}\n${REST}`);
writeFileSync(join(cwd, 'here.yaml'), REST);

const manifest = (...flags: string[]) =>
  muster(['manifest', 'Steady load.yaml', '--machines', '3', ...flags], { cwd, env: { MUSTER_API_KEY: 'TOPSECRET' } });

describe('muster manifest', () => {
  it('prints the objects of a scenario, named after it, without the API key', async () => {
    const { code, stdout, stderr } = await manifest('--set', 'fleet.seed=7', '--namespace', 'load');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const objects = parseAllDocuments(stdout, { version: '1.1' }).map((one) => one.toJS());
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)).toEqual([
      'ConfigMap load/steady-load-scenario',
      'ConfigMap load/steady-load-nats',
      'Service load/steady-load-nats',
      'StatefulSet load/steady-load-nats',
      'NetworkPolicy load/steady-load-nats',
      'NetworkPolicy load/steady-load-machine',
      'NetworkPolicy load/steady-load-coordinator',
      'PersistentVolumeClaim load/steady-load-results',
      'Job load/steady-load-machines',
      'Job load/steady-load',
    ]);
    expect(objects[0].data['scenario.yaml']).toContain('seed: 7');
    expect(stdout).not.toContain('TOPSECRET');
  });

  it('sets resources from the flags, and warns if the plan needs more', async () => {
    const { code, stdout, stderr } = await manifest(
      '--cpu',
      '4',
      '--memory',
      '64Mi',
      '--image',
      'registry.example/muster:1',
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(/^! --memory: expected at least the \d+Mi per machine that the plan needs, found 64Mi\n$/);
    const machines = parseAllDocuments(stdout).at(-2)?.toJS();
    expect(machines.spec.template.spec.containers[0]).toMatchObject({
      image: 'registry.example/muster:1',
      resources: { limits: { cpu: '4', memory: '64Mi' } },
    });
  });

  it.each([
    [['--machines', '0'], '--machines: expected a whole number from 1 to 1000'],
    [['--cpu', '500m'], '--cpu: expected whole cores such as 2'],
    [['--memory', '2'], '--memory: expected an amount such as 512Mi or 2Gi, found "2"'],
    [['--name', 'Big_One'], '--name: expected up to 40 lowercase letters'],
    [['--nats', 'tls://me:secret@nats.example:4222'], 'without user or password, found "tls://…@nats.example:4222"'],
    [['--nats', 'tls://nats.example', '--nats-image', 'nats'], 'omit one of them'],
    [['--machines', '101'], 'fleet.agents: expected at least 101, one for each shard or machine, found 100;'],
  ])('rejects %j', async (flags, words) => {
    const { code, stdout, stderr } = await muster(
      ['manifest', 'Steady load.yaml', ...(flags.includes('--machines') ? [] : ['--machines', '3']), ...flags],
      {
        cwd,
        env: { MUSTER_API_KEY: '-' },
      },
    );
    expect({ code, stdout }).toEqual({ code: 104, stdout: '' });
    expect(stderr).toContain(words);
  });

  it('rejects a target that each pod would look for in itself, and one that is not allowed', async () => {
    const here = await muster(['manifest', 'here.yaml', '--machines', '2'], { cwd });
    expect(here.stderr).toContain(
      'The target embedded: expected a server that pods can reach, found one on this machine',
    );
    const strange = await muster(['manifest', 'here.yaml', '--machines', '2', '--target', 'https://other.example'], {
      cwd,
    });
    expect(strange.code).toBe(112);
  });
});
