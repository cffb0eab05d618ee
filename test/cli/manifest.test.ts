import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { muster } from './muster.ts';

const cwd = mkdtempSync(join(tmpdir(), 'muster-manifest-'));
afterAll(() => rmSync(cwd, { recursive: true }));

const TARGET = "target: { url: 'https://mon.example', apiKey: '${MUSTER_API_KEY}', allow: [mon.example] }";
const REST = 'fleet: { agents: 100 }\nphases: [{ name: steady, duration: 10s, checkdata: { every: 5s } }]\n';
writeFileSync(join(cwd, 'Steady load.yaml'), `${TARGET}\n${REST}`);
writeFileSync(join(cwd, 'here.yaml'), REST);
writeFileSync(
  join(cwd, 'ends.yaml'),
  'fleet: { agents: 10 }\nphases: [{ name: enroll, duration: 10s, register: { rate: 50/s } }]\n',
);

const manifest = (...flags: string[]) =>
  muster(['manifest', 'Steady load.yaml', '--machines', '3', ...flags], { cwd, env: { MUSTER_API_KEY: 'TOPSECRET' } });

describe('muster manifest', () => {
  it('prints the objects of a scenario, named after it, without the API key', async () => {
    const { code, stdout, stderr } = await manifest('--set', 'fleet.seed=7', '--namespace', 'load');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Fetch the results: kubectl scale --namespace load deployment\/steady-load-results .*\n$/);
    const objects = parseAllDocuments(stdout, { version: '1.1' }).map((one) => one.toJS());
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)).toEqual([
      'ConfigMap load/steady-load-scenario',
      'ConfigMap load/steady-load-nats',
      'Service load/steady-load-nats',
      'StatefulSet load/steady-load-nats',
      'NetworkPolicy load/steady-load-nats',
      'NetworkPolicy load/steady-load-machine',
      'Service load/steady-load',
      'NetworkPolicy load/steady-load-coordinator',
      'PersistentVolumeClaim load/steady-load-results',
      'Deployment load/steady-load-results',
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
    expect(stderr).toMatch(/^! --memory: expected at least the \d+Mi per machine that the plan needs, found 64Mi\n/);
    const machines = parseAllDocuments(stdout).at(-2)?.toJS();
    expect(machines.spec.template.spec.containers[0]).toMatchObject({
      image: 'registry.example/muster:1',
      resources: { limits: { cpu: '4', memory: '64Mi' } },
    });
  });

  it('starts no other run after any exit code with which a run ends', async () => {
    const coordinator = parseAllDocuments((await manifest()).stdout)
      .at(-1)
      ?.toJS();
    const [{ onExitCodes }] = coordinator.spec.podFailurePolicy.rules;
    // Only compare and conform end with these.
    const { pass, regression, cannotTell, notConforming } = EXIT_CODES;
    const others: readonly number[] = [pass, regression, cannotTell, notConforming];
    const ends = Object.values(EXIT_CODES).filter((code) => !others.includes(code));
    expect(onExitCodes.values).toEqual(ends.toSorted((a, b) => a - b));
  });

  it('keeps a fleet running with --fleet, on the nodes that the flags name', async () => {
    const flags = ['--fleet', '--node-selector', 'pool=load', '--toleration', 'dedicated=load:NoSchedule'];
    const { stdout, stderr } = await manifest(...flags, '--toleration', 'spot');
    const objects = parseAllDocuments(stdout, { version: '1.1' }).map((one) => one.toJS());
    expect(objects.slice(-2).map(({ kind }) => kind)).toEqual(['Deployment', 'StatefulSet']);
    expect(objects.at(-1).spec.template.spec).toMatchObject({
      nodeSelector: { pool: 'load' },
      tolerations: [
        { key: 'dedicated', operator: 'Equal', value: 'load', effect: 'NoSchedule' },
        { key: 'spot', operator: 'Exists' },
      ],
    });
    expect(stderr).toBe('Fetch its data: kubectl exec statefulset/steady-load -- tar -cz -C /work data | tar -xz\n');
  });

  it.each([
    [['--machines', '0'], '--machines: expected a whole number from 1 to 1000'],
    [['--cpu', '500m'], '--cpu: expected whole cores such as 2'],
    [['--memory', '2'], '--memory: expected an amount such as 512Mi or 2Gi, found "2"'],
    [['--name', 'Big_One'], '--name: expected up to 40 lowercase letters'],
    [['--nats', 'tls://me:secret@nats.example:4222'], 'without credentials, because messages show the address'],
    [['--nats', 'nats://nats.example'], 'nats://nats.example:4222: expected TLS for a remote server'],
    [['--nats', 'wss://nats.example'], 'The cluster: expected the address of a NATS server'],
    [['--nats', 'nats://127.0.0.1'], '--nats: expected a server that pods can reach'],
    [['--nats-ca', 'ca.pem'], '--nats-ca applies to an existing NATS server: add its address with --nats'],
    [['--nats', 'tls://nats.example', '--nats-login', 'token'], '--nats-login: expected user, creds or nkey'],
    [['--node-selector', 'pool'], '--node-selector: expected a label such as pool=load, found "pool"'],
    [['--toleration', 'a=b:Never'], '--toleration: expected a taint such as dedicated=load:NoSchedule'],
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

  it('rejects a trace that pods would not have, unless the image may contain it', async () => {
    writeFileSync(
      join(cwd, 'incident.trace'),
      '# muster trace 1 agents=1 start=2026-11-20T09:00:00Z unit=us\n0\tc\t0\t15\n',
    );
    writeFileSync(
      join(cwd, 'incident.yaml'),
      `${TARGET}\nfleet: { agents: 3 }\nphases: [{ name: replay, load: { trace: incident.trace } }]\n`,
    );
    const write = (...flags: string[]) =>
      muster(['manifest', 'incident.yaml', '--machines', '3', ...flags], { cwd, env: { MUSTER_API_KEY: 'k' } });
    const file = join(cwd, 'incident.trace');
    expect(await write()).toEqual({
      code: EXIT_CODES.userError,
      stdout: '',
      stderr: `The trace ${file}: expected an image with this file, found the usual one; add the file to an image, and name that with --image.\n`,
    });
    const { code, stderr } = await write('--image', 'mine:1');
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`! mine:1 must contain the trace ${file}\n`),
    });
  });

  it('rejects a fleet that would end', async () => {
    const target = ['--target', 'https://mon.example', '--allow', 'mon.example'];
    const { code, stderr } = await muster(['manifest', 'ends.yaml', '--machines', '2', '--fleet', ...target], { cwd });
    expect(code).toBe(104);
    expect(stderr).toContain('The last phase of a kept fleet never ends');
  });
});
