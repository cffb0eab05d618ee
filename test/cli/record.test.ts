import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runMuster } from '../../src/cli/muster.ts';
import { type RecordOrder, untilStopped } from '../../src/cli/record/recorder.ts';
import { openRecording, readHostRecording } from '../../src/recordings/recorder/recording-folder.ts';
import { checkdataText, packagesText, usualFleet } from '../hosts/any-machine.ts';
import { muster } from './muster.ts';

const ONE = { fleet: usualFleet('debian-12', 'typical'), agent: 1, instantMs: Date.UTC(2026, 5, 1) };
const SCENARIO = `target: { url: embedded }
fleet: { agents: 20, hosts: [{ count: 20, profile: "recording:./hosts" }] }
phases: [{ name: steady, duration: 1s, checkdata: { every: 1s } }]
`;

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'muster-record-'));
  mkdirSync(join(cwd, 'dumps'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

/** What a recording contains, at the end. */
const PLAIN =
  'hosts contains names, paths, descriptions and addresses of these hosts, and replacements of other values; look at it with: muster record inspect hosts';

const dump = (name: string, text: string) => writeFileSync(join(cwd, 'dumps', name), text);
const record = (...args: string[]) => muster(['record', '--import', 'dumps/*', '-o', 'hosts', ...args], { cwd });

describe('record --import', () => {
  it('groups the documents of a host by file name, and a scenario simulates hosts like it', async () => {
    dump('web-1.checkdata.json', checkdataText(ONE));
    dump('web-1-packages.json', packagesText(ONE));
    expect(await record()).toEqual({
      code: 0,
      stdout: 'hosts: 1 host, 1 check-data document, 1 package document\n',
      stderr: `web-1: merged from 2 files, dumps/web-1-packages.json to dumps/web-1.checkdata.json\n${PLAIN}\n`,
    });
    writeFileSync(join(cwd, 's.yaml'), SCENARIO);
    const { code, stdout } = await muster(['inspect', 's.yaml', '--agent', '17'], { cwd });
    expect(code).toBe(0);
    expect(Object.keys(JSON.parse(stdout))).toEqual(Object.keys(JSON.parse(checkdataText(ONE))));
    const plan = await muster(['plan', 's.yaml'], { cwd });
    expect(plan.stdout).toMatch(/20 .*hosts/);
  });

  it('names each invalid file with the place and what was expected, and imports the others', async () => {
    dump('a.json', checkdataText(ONE));
    dump('b.json', checkdataText(ONE).slice(0, 100));
    dump('c.json', '{"cpu":{"agent_version":"1.0"}}');
    const { code, stdout, stderr } = await record();
    expect(code).toBe(104);
    expect(stderr.split('\n')).toEqual([
      'dumps/b.json: line 1, column 101: expected the rest of the document, found the end of a truncated document; skipped',
      'dumps/c.json: $.agent: expected the agent section, found nothing; skipped',
      PLAIN,
      '',
    ]);
    expect(stdout).toMatch(/^hosts: 1 host, 1 check-data document/);
  });

  it('takes a document of a release to come and with odd figures, and names them as written', async () => {
    const text = checkdataText(ONE).replace('"agent_version":"3.6.1"', '"agent_version":"3.7.0"');
    dump('a.json', text.replace(/"memory":\{"total":\d+/, '"memory":{"total":18446744073709551615'));
    const { code, stdout, stderr } = await record();
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'hosts: 1 host, 1 check-data document, 0 package documents\n',
    });
    expect(stderr.split('\n')).toEqual([
      'dumps/a.json: $.agent.agent_version: expected an agent version from 3.0.10 to 3.6.1, found "3.7.0"; what this Muster does not know is replayed as recorded',
      'dumps/a.json: $.memory.total: expected a whole number of bytes from 1 to 9007199254740992, found 18446744073709551615; memory is replayed as recorded',
      PLAIN,
      '',
    ]);
  });

  it('names folders and files that are too large, and imports the others', async () => {
    dump('b.json', checkdataText(ONE));
    mkdirSync(join(cwd, 'dumps', 'a.json'));
    dump('c.json', '');
    truncateSync(join(cwd, 'dumps', 'c.json'), 2 ** 30);
    const { code, stdout, stderr } = await record();
    expect({ code, stdout }).toEqual({
      code: 104,
      stdout: 'hosts: 1 host, 1 check-data document, 0 package documents\n',
    });
    expect(stderr.split('\n')).toEqual([
      'dumps/a.json: the file: expected a file, or the folder of a recording, found another folder; skipped',
      'dumps/c.json: the file: expected at most 33554432 bytes, found 1073741824 bytes; skipped',
      PLAIN,
      '',
    ]);
  });

  it('keeps no password, no API key and no private key', async () => {
    const PEM = '-----BEGIN PRIVATE KEY-----\\nMIIEvQ-planted\\n-----END PRIVATE KEY-----';
    const planted = checkdataText(ONE)
      .replace('"cmdline":"/sbin/init"', '"cmdline":"/sbin/init --password=planted-1 --api-key planted-2"')
      .replace(
        '"customchecks":{}',
        `"customchecks":{"k":{"stdout":"${PEM} planted-3","rc":0,"execution_unix_timestamp_sec":1}}`,
      );
    expect(planted.match(/planted/g)).toHaveLength(4);
    dump('push.json', `{"checkdata":${planted},"agentuuid":"u-planted","password":"planted-3"}`);
    expect((await record()).stderr).toBe(`${PLAIN}\n`);
    const { documents } = readHostRecording(join(cwd, 'hosts'));
    const index = readFileSync(join(cwd, 'hosts', 'index.json'), 'utf8');
    expect(JSON.stringify(documents) + index).not.toContain('planted');
  });

  it('adds to a recording only new documents', async () => {
    dump('web-1.checkdata.json', checkdataText(ONE));
    await record();
    dump('web-2.checkdata.json', checkdataText({ ...ONE, agent: 2 }));
    const { stdout, stderr } = await record();
    expect(stderr).toBe(`dumps/web-1.checkdata.json: web-1 already contains this document; skipped\n${PLAIN}\n`);
    expect(stdout).toBe('hosts: 2 hosts, 2 check-data documents, 0 package documents\n');
  });

  it('takes a file whose name looks like a pattern', async () => {
    dump('web[1].json', checkdataText(ONE));
    const { code, stdout } = await muster(['record', '--import', 'dumps/web[1].json', '-o', 'hosts'], { cwd });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'hosts: 1 host, 1 check-data document, 0 package documents\n',
    });
  });

  it('with --anonymize leaves nothing for inspect to find, and rejects documents with names', async () => {
    const named = checkdataText(ONE).replace('"username":"root"', '"username":"mmustermann"');
    dump('kundenserver.checkdata.json', named);
    await record();
    const before = await muster(['record', 'inspect', 'hosts'], { cwd });
    expect(before.stdout).toMatch(/kundenserver +1 +0 +-/);
    expect(before.stdout).toMatch(/a user, a machine, a container or a check +1 +mmustermann/);
    const anonymous = await muster(['record', '--import', 'hosts', '--anonymize', '-o', 'anon'], { cwd });
    expect(anonymous).toMatchObject({ code: 0, stdout: 'anon: 1 host, 1 check-data document, 0 package documents\n' });
    const after = await muster(['record', 'inspect', 'anon'], { cwd });
    expect(after.stdout).toMatch(/host-1 +1 +0 +-[\s\S]*nothing found beyond public words\n$/);
    const mixed = await muster(['record', '--import', 'dumps/*', '-o', 'anon'], { cwd });
    expect(mixed).toMatchObject({ code: 104, stderr: expect.stringContaining('expected one with original names') });
    const again = await muster(['record', '--import', 'hosts', '--anonymize', '-o', 'anon'], { cwd });
    expect(again).toMatchObject({ code: 104, stderr: expect.stringContaining('is anonymized: expected a new folder') });
  });

  it('says which words of the user stay, and rejects rules that it cannot read', async () => {
    dump('a.json', checkdataText(ONE).replace('"cmdline":"/sbin/init"', '"cmdline":"/sbin/init lohn kasse"'));
    writeFileSync(join(cwd, 'rules'), '# ours\nkeep LOHN\n\ndrop init\n');
    await record('--rules', 'rules', '--keep', 'kasse');
    const [document] = readHostRecording(join(cwd, 'hosts')).documents;
    expect(document?.text).toMatch(/"cmdline":"\/sbin\/zq[a-z]+ lohn kasse"/);
    writeFileSync(join(cwd, 'rules'), '\uFEFFkeep lohn # ours\n  # kasse too\nkeep kasse\n');
    rmSync(join(cwd, 'hosts'), { recursive: true });
    await record('--rules', 'rules');
    expect(readHostRecording(join(cwd, 'hosts')).documents[0]?.text).toContain('"cmdline":"/sbin/init lohn kasse"');
    writeFileSync(join(cwd, 'rules'), 'hold LOHN\n');
    const stderr = 'rules:1: expected keep WORD, drop WORD or option --NAME, found "hold LOHN".';
    expect(await record('--rules', 'rules')).toMatchObject({ code: 104, stderr: expect.stringContaining(stderr) });
  });

  it('ends with 116 and one sentence if the disk fails, which is no bug', async () => {
    dump('a.json', checkdataText(ONE));
    mkdirSync(join(cwd, 'hosts', 'index.json', 'x'), { recursive: true });
    const { code, stderr } = await record();
    expect(code).toBe(116);
    expect(stderr).toMatch(
      /^hosts: expected a disk that can be written, found: .*; what was recorded before is kept\.\n/,
    );
  });

  it('prints no terminal control characters, whatever the file names', async () => {
    dump('a\n\u001b[31mb.json', checkdataText(ONE));
    dump('c\u001b.json', '{');
    const { stderr } = await record();
    expect(stderr).toMatch(/^dumps\/c\\u001b\.json: line 1, .*\n/);
    const { stdout } = await muster(['record', 'inspect', 'hosts'], { cwd });
    expect(stdout).toMatch(/^a\\n\\u001b\[31mb +1 /m);
  });

  it('reads files that gzip compressed, and names those that are cut off and archives', async () => {
    const packed = gzipSync(checkdataText(ONE));
    writeFileSync(join(cwd, 'dumps', 'a.json.gz'), packed);
    writeFileSync(join(cwd, 'dumps', 'b.json.gz'), packed.subarray(0, 500));
    writeFileSync(join(cwd, 'dumps', 'c.zip'), 'PK\u0003\u0004');
    const { stderr } = await record();
    expect(readHostRecording(join(cwd, 'hosts')).documents.map(({ host }) => host)).toEqual(['a']);
    expect(stderr).toMatch(/b\.json\.gz: .*found unexpected end of file; skipped/);
    expect(stderr).toMatch(/c\.zip: .*found a zip archive, which must be unpacked first; skipped/);
  });

  it('says which files it looked for if there are none', async () => {
    expect(await record()).toMatchObject({ code: 104, stderr: expect.stringContaining('found no files for dumps/*') });
  });
});

describe('a recording with invalid documents', () => {
  it.each([
    ['checkdata', 'no JSON'],
    ['checkdata', '{"agent":[],"disks":[null]}'],
    ['packages', '{"Stats":7}'],
  ] as const)('of %s is shown without them, and a scenario that uses it is invalid', async (kind, text) => {
    const writer = openRecording(join(cwd, 'hosts'), false);
    writer.addHost('web', 'id');
    writer.addDocument({ host: 'web', kind: 'checkdata', instantMs: 1000, text: checkdataText(ONE), secrets: 0 });
    for (const instantMs of [2000, 3000, 4000]) {
      writer.addDocument({ host: 'web', kind, instantMs, text, secrets: 0 });
    }
    writer.close();
    const shown = await muster(['record', 'inspect', 'hosts'], { cwd });
    expect(shown.code).toBe(0);
    expect(shown.stderr.match(/hosts: web: .*; skipped/g)).toHaveLength(3);
    writeFileSync(join(cwd, 's.yaml'), SCENARIO);
    const { code, stdout } = await muster(['validate', 's.yaml'], { cwd });
    expect(code).toBe(104);
    expect(stdout).toMatch(/should contain (check data|package information) of web at 1970-01-01T00:00:0\d/);
  });
});

describe('record --forward', () => {
  it('shows no password of a URL that it rejects', async () => {
    const args = ['--listen', '127.0.0.1:0', '--forward', 'http://user:hush@127.0.0.1:9/?key=hush', '-o', 'hosts'];
    const { code, stderr } = await muster(['record', ...args], { cwd });
    expect([code, stderr.includes('found "http://127.0.0.1:9/?…"'), stderr.includes('hush')]).toEqual([
      104,
      true,
      false,
    ]);
  });

  it('connects to no other machine without permission by name', async () => {
    const args = ['record', '--listen', '127.0.0.1:0', '--forward', 'http://monitoring.example', '-o', 'hosts'];
    const refused = await muster([...args, '--allow', 'other.example'], { cwd });
    expect(refused).toMatchObject({ code: 112, stderr: expect.stringContaining('pass --allow monitoring.example') });
    const allowed = await muster([...args, '--allow', 'monitoring.example', '-d', '50ms'], { cwd });
    expect(allowed).toMatchObject({ code: 0, stdout: expect.stringContaining('hosts: 0 hosts') });
  });
});

/** Records two pushes of a host, a few milliseconds apart, and returns the summary. */
async function recordedPushes(...args: string[]): Promise<string> {
  const server = createServer((request, response) =>
    request.resume().on('end', () => response.writeHead(200, { Connection: 'close' }).end('{}')),
  );
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { promise: url, resolve: printed } = Promise.withResolvers<string>();
  let interrupt = () => {};
  let last = '';
  const forward = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ended = runMuster(['record', '--listen', '127.0.0.1:0', '--forward', forward, '-o', 'hosts', ...args], {
    stdin: Readable.from([]),
    stdout: {
      write: (text) => {
        last = text;
        printed(text.trim());
      },
    },
    stderr: { write: () => {} },
    env: {},
    cwd,
    onInterrupt: (listener) => {
      interrupt = listener;
      return () => {};
    },
  });
  for (const instantMs of [ONE.instantMs, ONE.instantMs + 60_000]) {
    const body = `{"checkdata":${checkdataText({ ...ONE, instantMs })},"agentuuid":"an-agent","password":"planted"}`;
    await fetch(`${await url}/agentconnector/submit_checkdata.json`, { method: 'POST', body });
    const answeredMs = Date.now();
    while (Date.now() < answeredMs + 3) await new Promise(setImmediate);
  }
  interrupt();
  await ended;
  server.closeAllConnections();
  server.close();
  return last;
}

describe('record --forward --every', () => {
  it('keeps one document of a host per interval', async () => {
    expect(await recordedPushes('--every', '1h')).toBe('hosts: 1 host, 1 check-data document, 0 package documents\n');
    rmSync(join(cwd, 'hosts'), { recursive: true });
    expect(await recordedPushes('--every', '1ms')).toBe('hosts: 1 host, 2 check-data documents, 0 package documents\n');
  });
});

describe('a scenario with hosts of a recording', () => {
  it('is rejected if the recording is missing or a different one', async () => {
    writeFileSync(join(cwd, 's.yaml'), SCENARIO);
    const validate = () => muster(['validate', 's.yaml'], { cwd });
    expect((await validate()).stdout).toMatch(
      /s\.yaml:2:\d+: fleet\.hosts\.0\.profile: expected the folder of a usable recording/,
    );
    dump('a.json', checkdataText(ONE));
    await record();
    expect(await validate()).toMatchObject({ code: 0 });
    const other = `profile: "recording:./hosts", sha256: "${'0'.repeat(64)}"`;
    writeFileSync(join(cwd, 's.yaml'), SCENARIO.replace('profile: "recording:./hosts"', other));
    expect((await validate()).stdout).toMatch(/expected the recording with the SHA-256 0{64}/);
  });

  it('may name it among its profiles, and configures each agent for its system', async () => {
    dump('a.json', checkdataText(ONE));
    dump('w.json', checkdataText({ ...ONE, fleet: usualFleet('windows-11', 'typical') }));
    await record();
    const short = SCENARIO.replace(/hosts: \[.*\]/, 'profiles: { "recording:./hosts": 3, macos-26: 1 }');
    writeFileSync(join(cwd, 's.yaml'), short);
    const { stdout } = await muster(['plan', 's.yaml'], { cwd });
    expect(stdout).toMatch(/hosts +15 hosts, 5 macos-26/);
    const inspected = async (agent: number, what: string) =>
      (await muster(['inspect', 's.yaml', '--agent', `${agent}`, '--what', what], { cwd })).stdout;
    const seen = new Set<string>();
    for (let agent = 0; agent < 6; agent++) {
      const { goos } = JSON.parse(await inspected(agent, 'checkdata')).agent;
      expect((await inspected(agent, 'config')).includes('Program Files')).toBe(goos === 'windows');
      seen.add(goos);
    }
    expect([...seen].sort()).toEqual(['darwin', 'linux', 'windows']);
    writeFileSync(join(cwd, 's.yaml'), short.replace('./hosts', './none'));
    const problem = (await muster(['validate', 's.yaml'], { cwd })).stdout;
    expect(problem).toMatch(/^s\.yaml:2:\d+: fleet\.profiles: expected the folder of a usable recording/);
  });
});

describe('record --duration', () => {
  it('of two months does not end immediately, as the timers of Node would', async () => {
    let interrupt = (): void => {};
    const onInterrupt = (act: () => void) => {
      interrupt = act;
      return () => {};
    };
    const order = { flags: { duration: '60d' }, io: { onInterrupt } } as unknown as RecordOrder;
    let isOver = false;
    const recorded = untilStopped(order, async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      isOver = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isOver).toBe(false);
    interrupt();
    await recorded;
  });
});
