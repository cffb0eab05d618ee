import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFormat } from '../../src/replay/log-format.ts';
import { anyCharacter } from '../any-character.ts';
import '../draws.ts';
import { combined, NOON_US, PUSH, readLine } from './logs.ts';

const AGENT = {
  atUs: NOON_US,
  isWholeSecond: true,
  zoneMinutes: 0,
  status: 200,
  durationUs: -1,
  sizeBytes: 0,
  isStart: false,
};
const CHECKDATA = { ...AGENT, endpoint: 'submit_checkdata', client: '192.0.2.1' };

describe('a line of a format that servers have without configuration', () => {
  const time = '[31/Jan/2026:12:00:00 +0000]';
  it.each([
    ['nginx combined', combined()],
    ['nginx main, without a proxy', `${combined()} "-"`],
    ['nginx main, through a proxy', `${combined({ client: '198.51.100.9' })} "192.0.2.1, 198.51.100.7"`],
    ['Apache common', `192.0.2.1 - - ${time} "${PUSH}" 200 22`],
    ['Apache vhost_combined', `monitoring.example.com:443 ${combined()}`],
    ['a user with spaces', `192.0.2.1 - jane doe ${time} "${PUSH}" 200 22 "-" "-"`],
    ['a user of identd', `192.0.2.1 ident jane ${time} "${PUSH}" 200 22 "-" "-"`],
    ['more fields at its end', `${combined()} "gzip" 0.012 rt=0.1`],
    ['quotes in the agent, as Apache writes them', `192.0.2.1 - - ${time} "${PUSH}" 200 22 "-" "a \\"b\\" c" "-"`],
    ['octet escapes', `192.0.2.1 - - ${time} "${PUSH}" 200 22 "-" "\\x22\\x5C\\xE4"`],
    ['nothing after the status', `192.0.2.1 - - ${time} "${PUSH}" 200`],
  ])('is read: %s', (_, line) => {
    expect(readLine(line)).toEqual(CHECKDATA);
  });

  it('may have an IPv6 address, a host name or an address of a proxy that is no address', () => {
    expect(readLine(combined({ client: '2001:db8::7' }))?.client).toBe('2001:db8::7');
    expect(readLine(combined({ client: 'web-1.example.com' }))?.client).toBe('web-1.example.com');
    expect(readLine(`${combined()} "2001:db8::7"`)?.client).toBe('2001:db8::7');
    for (const other of ['unknown', '0.012', 'monitoring.example.com', '12:30', ''])
      expect(readLine(`${combined()} "${other}"`)?.client).toBe('192.0.2.1');
    const format = compileFormat('$remote_addr [$time_local] "$request" $http_x_forwarded_for $status');
    const line = `192.0.2.1 [31/Jan/2026:12:00:00 +0000] "${PUSH}" unknown, 198.51.100.7 200`;
    expect(readLine(line, format)).toEqual(CHECKDATA);
  });

  it.each([
    ['203.0.113.7:51000, 198.51.100.9', '203.0.113.7'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['::ffff:203.0.113.7', '::ffff:203.0.113.7'],
    ['2001:db8:0:0:0:0:0:7', '2001:db8:0:0:0:0:0:7'],
  ])('is of the address that a proxy passed on, without its port: %s', (forwarded, client) => {
    expect(readLine(`${combined()} "${forwarded}"`)?.client).toBe(client);
  });

  it('has no answer with the status 000 of nginx', () => {
    expect(readLine(combined().replace(' 200 ', ' 000 '))).toMatchObject({ endpoint: 'submit_checkdata', status: 0 });
  });

  it('is not understood with an IPv6 address before a port, which could end at any colon', () => {
    const format = compileFormat('$remote_addr:$remote_port [$time_local] "$request"');
    const line = `192.0.2.1:443 [31/Jan/2026:12:00:00 +0000] "${PUSH}"`;
    expect(readLine(line, format)?.client).toBe('192.0.2.1');
    expect(readLine(line.replace('192.0.2.1', '2001:db8::7'), format)).toBeUndefined();
  });

  it.each([
    ['/agentconnector/register_agent.json', 'register_agent'],
    ['/agentconnector/submit_package_info.json', 'submit_package_info'],
    ['/a/deep/prefix/agentconnector/submit_checkdata.json', 'submit_checkdata'],
    ['//agentconnector/submit_checkdata.json', 'submit_checkdata'],
    ['/Agentconnector/submit_checkdata.json', 'submit_checkdata'],
    ['/agentconnector/submit_checkdata.json?apikey=x', 'submit_checkdata'],
    ['http://mon.example/agentconnector/submit_checkdata.json', 'submit_checkdata'],
    ['/', undefined],
    ['/agentconnector/config.json', undefined],
    ['/agentconnector/submit_checkdata', undefined],
    ['/submit_checkdata.json', undefined],
    ['/xagentconnector/submit_checkdata.json', undefined],
    ['/index.php?x=/agentconnector/submit_checkdata.json', undefined],
  ])('is of an agent by the end of its path: %s', (path, endpoint) => {
    expect(readLine(combined({ request: `POST ${path} HTTP/1.1` }))?.endpoint).toBe(endpoint);
  });

  it('is of no agent with another method, or without a request', () => {
    for (const request of [
      PUSH.replace('POST', 'GET'),
      PUSH.replace('POST', 'POSTX'),
      '',
      '-',
      '\\x16\\x03\\x01',
      'POST',
    ])
      expect(readLine(combined({ request }))).toMatchObject({ endpoint: undefined });
  });

  it.each([
    ['', 'column 1: expected $remote_addr'],
    ['hello world', 'column 1: expected $remote_addr'],
    [`Oct 26 07:33:20 web1 nginx: ${combined()}`, 'column 1: expected $remote_addr'],
    [`2026-10-26 07:33:20 web1 nginx: ${combined()}`, 'column 1: expected $remote_addr'],
    [combined().replace('Jan', 'Jam'), 'column 16: expected $time_local'],
    [combined().replace('31/Jan', '31/Feb'), 'column 16: expected $time_local'],
    [combined().replace(' 200 ', ' 20 '), 'column 98: expected $status'],
    [combined().slice(0, 60), 'column 45: expected $request'],
    ['- - - [31/Jan/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 1', 'column 1: expected $remote_addr'],
  ])('is not understood: %j', async (line, why) => {
    const { KNOWN_FORMATS } = await import('../../src/replay/known-formats.ts');
    const bytes = Buffer.from(line);
    expect(readLine(line)).toBeUndefined();
    expect(KNOWN_FORMATS.explain(bytes, 0, bytes.length)).toBe(why);
  });
});

describe('a line of JSON', () => {
  it.each([
    [
      'nginx',
      {
        time_iso8601: '2026-01-31T12:00:00+00:00',
        remote_addr: '192.0.2.1',
        request: PUSH,
        status: '200',
        request_time: '0.120',
        request_length: '900',
      },
    ],
    [
      'method and target apart',
      {
        '@timestamp': '2026-01-31T12:00:00Z',
        client_ip: '192.0.2.1',
        method: 'POST',
        uri: '/agentconnector/submit_checkdata.json',
        status: 200,
        request_time: 0.12,
        request_length: 900,
      },
    ],
    [
      'Caddy',
      {
        ts: 1769860800,
        request: { client_ip: '192.0.2.1', method: 'POST', uri: '/agentconnector/submit_checkdata.json' },
        duration: 0.12,
        bytes_read: 900,
        status: 200,
      },
    ],
    [
      'Traefik',
      {
        ClientHost: '192.0.2.1',
        RequestMethod: 'POST',
        RequestPath: '/agentconnector/submit_checkdata.json',
        DownstreamStatus: 200,
        Duration: 120_000_000,
        RequestContentSize: 900,
        time: '2026-01-31T12:00:00Z',
      },
    ],
  ])('is read by the names of its members: %s', (_, members) => {
    expect(readLine(JSON.stringify(members))).toEqual({ ...CHECKDATA, durationUs: 120_000, sizeBytes: 900 });
  });

  it.each([
    '{',
    '{}',
    '[]',
    '{"time":"now","request":"POST / HTTP/1.1"}',
    '{"status":200,"time":1769860800,"request":"GET / HTTP/1.1"}',
  ])('is not understood: %s', (line) => expect(readLine(line)).toBeUndefined());
});

describe('a duration of Caddy in words', () => {
  it.each([
    ['120ms', 120_000],
    ['1m2.5s', 62_500_000],
    ['885.4µs', 885],
    ['0s', 0],
  ])('is that of Go: %s', (duration, durationUs) => {
    const request = { client_ip: '192.0.2.1', method: 'POST', uri: '/agentconnector/submit_checkdata.json' };
    const line = JSON.stringify({ ts: '2026-01-31T12:00:00.000Z', request, duration, status: 200 });
    expect(readLine(line)).toMatchObject({ endpoint: 'submit_checkdata', durationUs });
  });
});

describe('a format in the words of the server', () => {
  const TIMED = '$remote_addr [$time_iso8601] "$request" $status $request_time';
  const line = `192.0.2.1 [2026-01-31T12:00:00+00:00] "${PUSH}" 200 0.120`;

  it.each([
    ['alone', TIMED],
    ['with braces', TIMED.replace('$status', '${status}')],
    ['as a directive', `log_format timed '$remote_addr [$time_iso8601] '\n  '"$request" $status $request_time';`],
    ['as a directive with an escape', `  log_format timed escape=json '${TIMED}';`],
  ])('is read %s', (_, format) => {
    expect(readLine(line, compileFormat(format))).toEqual({ ...CHECKDATA, durationUs: 120_000 });
  });

  it.each([
    ['%h %l %u %t "%r" %>s %b %D', `192.0.2.1 - - [31/Jan/2026:12:00:00 +0000] "${PUSH}" 200 22 120000`],
    ['LogFormat "%h [%t] \\"%r\\" %>s %{ms}T" timed', `192.0.2.1 [31/Jan/2026:12:00:00 +0000] "${PUSH}" 200 120`],
    ['%a %{msec}t %m %U %s %T', '192.0.2.1 1769860800000 POST /agentconnector/submit_checkdata.json 200 0.12'],
  ])("is Apache's, whose times are those of the beginning: %s", (format, text) => {
    const isWholeSecond = !format.includes('msec');
    expect(readLine(text, compileFormat(format))).toEqual({
      ...CHECKDATA,
      isWholeSecond,
      durationUs: 120_000,
      isStart: true,
    });
  });

  it('prefers the more exact of two times and of two response times', () => {
    const format = compileFormat('$time_local|$msec|$remote_addr|$request|$upstream_response_time|$request_time');
    expect(readLine(`31/Jan/2026:13:00:00 +0100|1769860800.125|192.0.2.1|${PUSH}|0.1|0.12`, format)).toMatchObject({
      atUs: NOON_US + 125_000,
      isWholeSecond: false,
      durationUs: 120_000,
    });
  });

  it('adds up the times of several upstream servers', () => {
    const format = compileFormat('$remote_addr $msec "$request" "$upstream_response_time"');
    const durationOf = (text: string) => readLine(`192.0.2.1 1.5 "${PUSH}" "${text}"`, format)?.durationUs;
    expect(['0.001, 0.120', '0.001 : 0.120', '-, 0.121', '0.121', '-', ''].map(durationOf)).toEqual([
      ...[121_000, 121_000, 121_000, 121_000, -1, -1],
    ]);
    expect(durationOf('fast')).toBeUndefined();
    const bare = compileFormat('$remote_addr $msec $upstream_status $upstream_response_time $request_time $request');
    const line = `192.0.2.1 1.5 502, 200 : 200 0.001, 0.002 : 0.050 0.120 ${PUSH}`;
    expect(readLine(line, bare)).toMatchObject({ durationUs: 120_000, endpoint: 'submit_checkdata' });
  });

  it.each([
    ['$remote_addr "$request"', '$time_local, $time_iso8601 or $msec'],
    ['[$time_local] "$request"', '$remote_addr'],
    ['$remote_addr [$time_local]', '$request or $request_uri'],
    ['%h %t', '%r or %U'],
    ['combined', '%t'],
  ])('must say what a replay needs: %s', (format, needed) => {
    expect(() => compileFormat(format)).toThrow(`--format: expected a format with ${needed}, found`);
  });

  it.each([
    ["Apache's query string", '%h %t %m %U%q %H %s', '/submit_checkdata.json?a=b HTTP/1.1'],
    [
      "nginx's query string",
      '$remote_addr [$time_local] $request_method $uri$is_args$args $status',
      '/submit_checkdata.json?a=b',
    ],
    [
      'the address of the site',
      '$remote_addr [$time_local] $request_method $scheme://$host$request_uri $status',
      '/submit_checkdata.json',
    ],
  ])('finds a target beside %s', (_, format, target) => {
    const site = format.includes('$host') ? 'https://mon.example' : '';
    const text = `192.0.2.1 [31/Jan/2026:12:00:00 +0000] POST ${site}/agentconnector${target} 200`;
    expect(readLine(text, compileFormat(format))).toMatchObject({
      atUs: NOON_US,
      endpoint: 'submit_checkdata',
      status: 200,
    });
  });

  it('reads what follows variables that stand together', () => {
    const format = compileFormat('$scheme$http_host $remote_addr $msec "$request"');
    expect(readLine(`httpsmon.example 192.0.2.1 1769860800.5 "${PUSH}"`, format)).toMatchObject({
      atUs: NOON_US + 500_000,
      endpoint: 'submit_checkdata',
    });
  });

  it('must separate its fields', () => {
    expect(() => compileFormat('$remote_addr$msec "$request"')).toThrow('expected a separator after $remote_addr');
    expect(() => compileFormat('$request_method$request_uri $remote_addr $msec')).toThrow(
      'expected a separator after $request_method',
    );
  });
});

describe('bytes of any kind', () => {
  it('are read or not, but never make an error', () => {
    const lines = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.tuple(fc.nat(140), fc.string({ unit: anyCharacter, maxLength: 3 })).map(([place, text]) => {
        const line = combined();
        return line.slice(0, place) + text + line.slice(place + text.length);
      }),
    );
    fc.assert(
      fc.property(lines, (line) => {
        const read = readLine(line);
        if (read !== undefined) expect(Number.isSafeInteger(read.atUs)).toBe(true);
      }),
    );
  });
});
