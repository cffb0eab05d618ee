import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { muster } from './muster.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'muster-replay-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const FORMAT = '$remote_addr - $remote_user [$time_local] "$request" $status $msec $request_time $request_length';
const START_MS = Date.UTC(2026, 9, 25, 0, 58);

/** 30 agents that push every 10 seconds for five minutes, without a minute in the middle, over a change of the clock in Berlin. */
function incident({ format = 'timed' as 'timed' | 'combined', from = 0, to = 300 } = {}): string {
  const lines: { readonly atMs: number; readonly text: string }[] = [];
  for (let agent = 0; agent < 30; agent++)
    for (let atMs = from * 1000 + agent * 331; atMs < to * 1000; atMs += 10_000) {
      if (atMs >= 120_000 && atMs < 180_000) continue;
      const unixMs = START_MS + atMs;
      const offset = unixMs < Date.UTC(2026, 9, 25, 1) ? 2 : 1;
      const local = new Date(unixMs + offset * 3_600_000).toISOString();
      const request = `POST /oitc/agentconnector/submit_checkdata.json?apikey=k3y-${agent} HTTP/1.1`;
      const line = `198.51.100.${agent} - j4ne-doe [25/Oct/2026:${local.slice(11, 19)} +0${offset}00] "${request}" 200`;
      const more =
        format === 'timed' ? ` ${(unixMs / 1000 + 0.02).toFixed(3)} 0.020 40000` : ' 22 "http://els3where/" "ag3nt-x"';
      lines.push({ atMs, text: line + more });
    }
  return lines
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ text }) => `${text}\n`)
    .join('');
}

const write = (name: string, data: string | Uint8Array) => writeFileSync(join(cwd, name), data);
const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
const replay = (...args: string[]) => muster(['replay', ...args], { cwd });

describe('muster replay', () => {
  it('says in ten lines what it saw, and writes a scenario and a trace that plan accepts', async () => {
    write(
      'access.log',
      `${incident()}192.0.2.1 - - [25/Oct/2026:03:00:00 +0100] "GET / HTTP/1.1" 200 1793000000.1 0.001 10\nfoo\n`,
    );
    const { code, stdout, stderr } = await replay('access.log', '--format', FORMAT);
    expect({ code, stdout: stdout.split('\n'), stderr }).toEqual({
      code: 0,
      stdout: [
        'read      722 lines of 1 log',
        'span      2026-10-25 00:58:00 UTC to 2026-10-25 01:02:59 UTC, 5m',
        'agents    30, one for each client address',
        'requests  720: checkdata 720',
        'answers   200 720',
        'busiest   4 requests in the second from 00:58:00; on average 2.4/s',
        'silent    1m0.401s from 00:59:59',
        'times     fractions of a second; with response times; time zone +00:00',
        'clock     no time is earlier than the one before',
        'left out  1 other request; 1 line not understood: access.log:722, column 1: expected $remote_addr',
        '',
      ],
      stderr: 'Wrote incident.yaml, incident.trace, incident-then. Now: muster plan incident.yaml\n',
    });
    expect(read('incident.trace').split('\n').slice(0, 3)).toEqual([
      '# muster trace 1 agents=30 start=2026-10-25T00:58:00.000Z unit=us',
      '0\tc\t0\t15\t200\t20',
      '331000\tc\t1\t15\t200\t20',
    ]);
    await expect(read('incident.yaml')).toMatchFileSnapshot('golden/replayed.yaml');
    const plan = await muster(['plan', 'incident.yaml'], { cwd });
    expect(plan.code).toBe(0);
    expect(plan.stdout).toMatch(/^before .*\n(.*\n)*incident .*\n(.*\n)*recovery /m);
  });

  it('writes the same from rotated, compressed logs in any order, from stdin, and from a log and its copy', async () => {
    write('whole.log', incident());
    write('access.log', incident({ from: 200 }));
    write('access.log.1', incident({ from: 100, to: 200 }));
    write('access.log.1.gz', gzipSync(incident({ from: 100, to: 200 })));
    // As gzip files that were appended to each other.
    const [one, two] = [incident({ to: 50 }), incident({ from: 50, to: 100 })].map((text) => gzipSync(text));
    write('access.log.2.gz', Buffer.concat([one ?? Buffer.alloc(0), two ?? Buffer.alloc(0)]));
    const traceOf = async (...logs: string[]) => {
      const { code } = await replay(...logs, '--format', FORMAT, '--force');
      return {
        code,
        rows: read('incident.trace')
          .split('\n')
          .map((row) => row.split('\t').toSpliced(2, 1).join(' ')),
      };
    };
    const whole = await traceOf('whole.log');
    expect(whole.rows).toHaveLength(722);
    expect(await traceOf('access.log', 'access.log.1', 'access.log.2.gz')).toEqual(whole);
    expect(await traceOf('access.log.2.gz', 'access.log.1.gz', 'access.log')).toEqual(whole);
    expect(await traceOf('./access.log', 'access.log', 'access.log.1', 'access.log.1.gz', 'access.log.2.gz')).toEqual(
      whole,
    );
    await muster(['replay', '-', '--format', FORMAT, '--force'], { cwd, stdin: incident() });
    expect(read('incident.trace').split('\n')).toHaveLength(722);
  });

  it('keeps nothing of a line that a replay does not need', async () => {
    write('access.log', incident({ format: 'combined' }));
    const { code, stdout, stderr } = await replay('access.log', '-o', 'kept.yaml');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain('time zone +02:00, +01:00 (changed at 2026-10-25 01:01:00 UTC, as for daylight saving)');
    const files = readdirSync(cwd, { recursive: true, withFileTypes: true }).filter(
      (one) => one.isFile() && one.name !== 'access.log',
    );
    expect(files.map(({ name }) => name)).toContain('kept.trace');
    for (const { parentPath, name } of files)
      expect(readFileSync(join(parentPath, name), 'latin1')).not.toMatch(
        /198\.51\.100|k3y|j4ne|els3where|ag3nt|\/oitc/,
      );
  });

  it.each([
    ['an empty log', '', 'access.log: expected an access log, found no line; check the path.'],
    [
      'other text',
      'foo\nbar\n',
      "access.log: expected an access log in nginx's combined or main format, Apache's combined, or JSON, found 2 lines of another form (line 1, column 1: expected $remote_addr); pass the server's log_format with --format.",
    ],
    [
      'a binary file',
      Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 10, 3, 4]),
      'access.log: expected an access log, found a binary file; check the path.',
    ],
    [
      'a zstd file',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3]),
      'access.log: expected a plain or gzip log, found zstd; convert it first: zstdcat access.log | muster replay -',
    ],
    [
      'a file of Windows',
      Buffer.from(`\uFEFF${incident({ to: 10 })}`, 'utf16le'),
      'access.log: expected a plain or gzip log, found UTF-16; convert it first: iconv -f utf-16 -t utf-8 access.log | muster replay -',
    ],
    [
      'the log of another server',
      '192.0.2.1 - - [31/Jan/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 1\n',
      'access.log: expected requests of agents (POST /agentconnector/register_agent.json, /agentconnector/submit_checkdata.json, /agentconnector/submit_package_info.json), found none in 1 other request; use the log of the server that agents push to.',
    ],
  ])('refuses %s, and writes nothing', async (_, data, message) => {
    write('access.log', data);
    expect(await replay('access.log')).toEqual({ code: 104, stdout: '', stderr: `${message}\n` });
    expect(readdirSync(cwd)).toEqual(['access.log']);
  });

  it('says where a line differs from the format that was given', async () => {
    write('access.log', incident());
    const { code, stderr } = await replay('access.log', '--format', '$remote_addr [$msec] "$request"');
    expect({ code, stderr }).toEqual({
      code: 104,
      stderr:
        'access.log: expected lines of --format, found 720 lines of another form (line 1, column 1: expected $remote_addr); copy the whole format from the configuration of the server that wrote the log.\n',
    });
  });

  it('uses what is before the fault of a gzip file, and says so', async () => {
    const packed = gzipSync(incident());
    write('cut.gz', packed.subarray(0, Math.floor(packed.length / 2)));
    const cut = await replay('cut.gz', '--format', FORMAT);
    expect(cut.code).toBe(0);
    expect(cut.stderr).toContain('! cut.gz is damaged or cut (unexpected end of file); what was before that is used\n');
    const damaged = Buffer.from(packed);
    damaged.fill(0xff, Math.floor(packed.length / 2));
    write('damaged.gz', damaged);
    expect((await replay('damaged.gz', '--format', FORMAT, '--force')).stderr).toMatch(
      /! damaged.gz is damaged or cut \(.+\)/,
    );
    write('empty.gz', gzipSync(''));
    write('access.log', incident());
    expect((await replay('empty.gz', 'access.log', '--format', FORMAT, '--force')).stderr).toContain(
      '! empty.gz is empty\n',
    );
    write('head.gz', packed.subarray(0, 9));
    expect((await replay('head.gz', '--force')).stderr).toBe(
      '! head.gz is damaged or cut (unexpected end of file); what was before that is used\nhead.gz: expected an access log, found no line; check the path.\n',
    );
  });

  it.each([
    [['nothing.log'], 'Cannot read the log nothing.log: no such file; check the path.'],
    [['.'], 'Cannot read the log .: expected a file, found a folder; choose a file in it.'],
    [
      ['access.log', '-o', 'incident.json'],
      '--out: expected the name of a scenario such as incident.yaml, found "incident.json".',
    ],
    [['access.log', '-o', 'none/incident.yaml'], 'choose a file in an existing, writable folder'],
    [['access.log', '--agents', '0'], '--agents: expected a whole number from 1 to 10000000, found "0".'],
    [['access.log', '--format', 'combined'], '--format: expected a format with'],
  ])('refuses %j', async (args, message) => {
    write('access.log', incident());
    const { code, stdout, stderr } = await replay(...args);
    expect({ code, stdout }).toEqual({ code: 104, stdout: '' });
    expect(stderr).toContain(message);
    expect(readdirSync(cwd)).toEqual(['access.log']);
  });

  it('refuses times that are years apart, as of a clock that was not yet set', async () => {
    write('access.log', `${incident({ to: 20 }).replaceAll('/2026:', '/1970:')}${incident({ format: 'combined' })}`);
    expect(await replay('access.log')).toEqual({
      code: 104,
      stdout: '',
      stderr:
        'access.log: expected the requests of at most a year, found some from 1970-10-25T00:58:00.000Z to 2026-10-25T01:02:59.750Z; leave out the lines with a wrong time.\n',
    });
    expect(readdirSync(cwd)).toEqual(['access.log']);
  });

  it('writes no figures of each second if there are more than a month of them', async () => {
    write('access.log', `${incident({ to: 20 })}${incident({ from: 20 }).replaceAll('25/Oct', '27/Nov')}`);
    expect((await replay('access.log', '--format', FORMAT.replace('$msec', '$x'))).stderr).toContain(
      '! incident-then is left out: it has each second, and there are more than 31 days of them\n',
    );
    expect(existsSync(join(cwd, 'incident-then'))).toBe(false);
    expect(
      (await replay('access.log', '--format', FORMAT.replace('$msec', '$x'), '--speed', '1000', '--force')).stderr,
    ).toContain('incident-then. Now:');
  });

  it('replaces files only with --force', async () => {
    write('access.log', incident());
    write('incident.trace', 'mine');
    expect(await replay('access.log', '--format', FORMAT)).toMatchObject({
      code: 104,
      stderr: expect.stringContaining('--force'),
    });
    expect(read('incident.trace')).toBe('mine');
    expect(existsSync(join(cwd, 'incident.yaml'))).toBe(false);
    expect((await replay('access.log', '--format', FORMAT, '--force')).code).toBe(0);
  });

  it('proposes thresholds on what the log has, and none on times that it has not', async () => {
    write('access.log', incident({ format: 'combined' }).replaceAll('submit_checkdata', 'submit_package_info'));
    expect((await replay('access.log')).code).toBe(0);
    expect(read('incident.yaml')).toContain('thresholds:\n  packages: ["error_rate < 0.1%"]\n');
    expect(existsSync(join(cwd, 'incident-then'))).toBe(false);
  });

  it('says how many client addresses a log has, also one', async () => {
    const line = (second: number, endpoint: string) =>
      `192.0.2.1 - - [31/Jan/2026:12:00:0${second} +0000] "POST /agentconnector/${endpoint}.json HTTP/1.1" 200 22 "-" "-"\n`;
    write('access.log', [1, 2, 3].map((second) => line(second, 'submit_checkdata')).join(''));
    expect((await replay('access.log', '--agents', '2')).code).toBe(0);
    expect(read('incident.yaml')).toContain('  # As given with --agents; the log has 1 client address.\n');
  });

  it('writes phases that are as fast as asked', async () => {
    write('access.log', incident());
    expect((await replay('access.log', '--format', FORMAT, '--speed', '10')).code).toBe(0);
    expect(read('incident.yaml')).toContain('duration: 11.9599s\n    load: { trace: "incident.trace", speed: 10 }\n');
    expect((await replay('access.log', '--speed', '0')).stderr).toContain(
      '--speed: expected a number from 0.01 to 1000',
    );
  });

  it('removes what a killed one left, and nothing else', async () => {
    write('access.log', incident());
    const dead = `.incident.trace.${hostname()}.4194304.part`;
    const others = ['.film.trace.example.7.part', 'film.part'];
    for (const name of [dead, ...others]) write(name, '');
    expect((await replay('access.log', '--format', FORMAT)).code).toBe(0);
    expect(readdirSync(cwd)).not.toContain(dead);
    expect(readdirSync(cwd)).toEqual(expect.arrayContaining(others));
  });

  it('leaves nothing when it is interrupted', async () => {
    write('access.log', incident());
    const { code } = await muster(['replay', 'access.log', '--format', FORMAT], {
      cwd,
      interrupted: Promise.resolve(),
    });
    expect(code).toBe(105);
    expect(readdirSync(cwd)).toEqual(['access.log']);
  });
});
