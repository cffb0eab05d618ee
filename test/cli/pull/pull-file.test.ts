import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { TargetNotAllowedError } from '../../../src/base/kernel/errors.ts';
import { assertAgentsAllowed, type PullOrder, readPullFile } from '../../../src/cli/pull/pull-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-pull-file-'));
const file = join(folder, 'pull.yaml');

afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string): Promise<PullOrder> {
  writeFileSync(file, text);
  return readPullFile(file);
}

describe('a pull file', () => {
  it('has the defaults of the real server, and paths relative to its own folder', async () => {
    expect(await read("state: kept\nconfig: /etc/config.ini\nagents: ['127.0.0.1:3333', '[::1]:3333']\n")).toEqual({
      every: 60_000,
      packages: 3_600_000,
      timeout: 30_000,
      concurrency: 64,
      autoTls: true,
      exchangeAgain: false,
      https: false,
      allow: [],
      state: join(folder, 'kept'),
      config: '/etc/config.ini',
      agents: [
        { host: '127.0.0.1', port: 3333 },
        { host: '::1', port: 3333 },
      ],
    });
  });

  it('accepts the ranges of scenarios', async () => {
    const { agents } = await read(
      'autoTls: false\nagents: [{ listen: 127.20.0.0/16:3333, count: 300 }, { listen: 127.0.0.1:20000+, count: 2 }]\n',
    );
    expect(agents).toHaveLength(302);
    expect([agents[0], agents[299], agents[301]]).toEqual([
      { host: '127.20.0.1', port: 3333 },
      { host: '127.20.1.44', port: 3333 },
      { host: '127.0.0.1', port: 20001 },
    ]);
  });

  it.each([
    ["agents: ['127.0.0.1:1']\n", ':1:1: state: expected a folder for the CA'],
    ["autoTls: false\nagents: ['127.0.0.1']\n", ':2:10: agents.0: expected an address such as'],
    ["autoTls: false\nagents: ['127.0.0.1:0']\n", ':2:10: agents.0: expected an address such as'],
    [
      'autoTls: false\nagents: [{ listen: nowhere, count: 1 }]\n',
      ':2:20: agents.0.listen: expected an address per agent',
    ],
    ['autoTls: false\nagents: [{ listen: 127.0.0.0/30:1, count: 3 }]\n', 'agents.0.count: expected at most 2'],
    [
      "autoTls: false\nagents: ['127.0.0.1:1', '127.0.0.1:1']\n",
      ':2:25: agents.1: expected each address once, found 127.0.0.1:1 again',
    ],
    [
      'autoTls: false\nagents: [{ listen: 127.0.0.1:1+, count: 9 }, "127.0.0.1:5"]\n',
      'agents.1: expected each address once',
    ],
    ['autoTls: false\nagents: [{ listen: 127.0.0.5/24:1, count: 1 }]\n', "the network's own address, 127.0.0.0/24:1"],
    ["autoTls: false\nagents: ['no host:80']\n", 'agents.0: expected an address such as'],
    ['autoTls: false\nagents: []\n', 'agents: expected at least one agent'],
    ['evry: 1s\nautoTls: false\nagents: ["127.0.0.1:1"]\n', ':1:1: evry: expected one of every, packages'],
    ['every: soon\nautoTls: false\nagents: ["127.0.0.1:1"]\n', ':1:8: every: expected a duration'],
    ['state: s\nhttps: true\nagents: ["127.0.0.1:1"]\n', ':2:1: https: expected autoTls: false'],
    ['autoTls: false\nbasicAuth: me\nagents: ["127.0.0.1:1"]\n', ':2:12: basicAuth: expected user:password'],
    ['agents: [\n', 'valid YAML'],
    ['', 'expected a section with every'],
  ])('with %j is rejected', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it('may name agents beyond this machine only if allowed by address or network', async () => {
    const agents = "agents: ['127.0.0.1:1', '[::1]:1', '10.1.0.5:3333', 'a.example:1']";
    const order = await read(`autoTls: false\nallow: [A.example]\n${agents}\n`);
    expect(() => assertAgentsAllowed(order, [])).toThrow(/If you may poll 10\.1\.0\.5:3333, add 10\.1\.0\.5 to allow/);
    expect(() => assertAgentsAllowed({ ...order, allow: [] }, [])).toThrow(/10\.1\.0\.5:3333 and 1 more/);
    expect(() => assertAgentsAllowed(order, ['10.2.0.0/16'])).toThrow(TargetNotAllowedError);
    for (const allow of ['10.1.0.5', '10.1.0.0/16']) assertAgentsAllowed(order, [allow]);
  });

  it('with a password is rejected without printing it', async () => {
    await expect(read('basicAuth: [me, geheim]\nautoTls: false\nagents: ["127.0.0.1:1"]\n')).rejects.not.toThrow(
      'geheim',
    );
    await expect(read('basicAuth: geheim\nautoTls: false\nagents: ["127.0.0.1:1"]\n')).rejects.not.toThrow('geheim');
  });
});
