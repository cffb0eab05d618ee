import { describe, expect, it } from 'vitest';
import { documentText, readDocument } from '../../src/recordings/reading.ts';
import { checkdataText, packagesText, usualFleet } from '../hosts/any-machine.ts';

const ONE = { fleet: usualFleet('debian-12', 'lean'), agent: 1, instantMs: Date.UTC(2026, 5, 1) };
const TEXT = checkdataText(ONE);

function faultOf(text: string) {
  const read = readDocument(text);
  return read.kind === 'fault' ? read.fault : undefined;
}

/** Check data that `change` has modified. */
function changed(change: (document: Record<string, object>) => object): string {
  return JSON.stringify(change(JSON.parse(TEXT)));
}

describe('a document', () => {
  it('is read from the answer of a web server and from the body of a push', () => {
    const push = `{"checkdata":${TEXT},"agentuuid":"an-agent","password":"a-password"}`;
    const [answer, body] = [readDocument(TEXT), readDocument(push)];
    if (answer.kind === 'fault' || body.kind === 'fault') throw new Error('it was refused');
    expect(answer.document).toMatchObject({ kind: 'checkdata', agentUuid: undefined, instantMs: ONE.instantMs - 4000 });
    expect(body.document).toEqual({ ...answer.document, agentUuid: 'an-agent', secrets: ['a-password'] });
    expect(readDocument(packagesText(ONE))).toMatchObject({ document: { kind: 'packages' } });
  });

  it('keeps numbers that exceed the precision of a double', () => {
    const windows = { ...ONE, fleet: usualFleet('windows-11', 'lean') };
    const text = checkdataText({ ...windows, fleet: { ...windows.fleet, payload: 'typical' } });
    const read = readDocument(text);
    const digits = (json: string) => json.match(/"Timestamp_Sys100NS":(\d+)/)?.[1];
    expect(digits(read.kind === 'document' ? read.document.text : '')).toBe(digits(text));
  });
});

describe('an invalid document', () => {
  it.each([
    ['', 'line 1, column 1', 'check data or package information of an agent', 'nothing'],
    ['[]', 'line 1, column 1', 'check data or package information of an agent', 'an array'],
    ['{"agent":\n  oops}', 'line 2, column 3', 'JSON', '"oops}"'],
    [TEXT.slice(0, 500), 'line 1, column 501', 'the rest of the document', 'the end of a truncated document'],
    [
      '{}',
      '$',
      'check data or package information of an agent',
      'the empty document of an agent before its first result',
    ],
    ['{"checkdata":7}', '$.checkdata', 'check data or package information of an agent', 'number 7'],
    ['{"cpu":{}}', '$.agent', 'the agent section', 'nothing'],
  ])('is reported with its place: %#', (text, place, expected, found) => {
    expect(faultOf(text)).toEqual({ place, expected, found });
  });

  it('of an unknown release is reported', () => {
    const text = changed(({ agent, ...checks }) => ({
      agent: { ...agent, agent_version: '2.9.9' },
      ...checks,
    }));
    expect(faultOf(text)).toEqual({
      place: '$.agent.agent_version',
      expected: 'an agent version from 3.0.10 to 3.6.1',
      found: '"2.9.9"',
    });
  });

  it('with unknown members is reported with their names', () => {
    expect(faultOf(changed((document) => ({ ...document, gpu: {} })))).toMatchObject({
      place: '$.gpu',
      found: '"gpu"',
    });
    const more = changed(({ memory, ...rest }) => ({ ...rest, memory: { ...memory, zswap: 1 } }));
    expect(faultOf(more)).toEqual({ place: '$.memory.zswap', expected: 'no member with this name', found: '"zswap"' });
  });

  it('with a value of the wrong type is reported without the value', () => {
    const text = changed(({ swap, ...rest }) => ({ ...rest, swap: { ...swap, used: 'hunter2' } }));
    expect(faultOf(text)).toEqual({ place: '$.swap.used', expected: 'number', found: 'a string' });
  });

  it('of packages from a pending collection is reported', () => {
    const pending = JSON.stringify({ ...JSON.parse(packagesText(ONE)), Pending: true });
    expect(faultOf(pending)).toMatchObject({ place: '$', found: 'Pending: true' });
  });

  it.each([
    ['agent', 'goos', 'plan9', 'linux or windows or darwin'],
    ['agent', 'last_updated_timestamp', 1e15, 'seconds since 1970'],
    ['memory', 'total', 0, 'a number of bytes above 0'],
    ['memory', 'total', 2e19, 'a number between -2^53 and 2^53'],
    ['cpu', 'cpu_percentage', [], 'one value per core'],
  ])('with an impossible figure is reported: %s.%s', (check, member, value, expected) => {
    const text = changed((document) => ({ ...document, [check]: { ...document[check], [member]: value } }));
    expect(faultOf(text)).toMatchObject({ place: `$.${check}.${member}`, expected });
  });

  it('that no real host can have is reported: shared PIDs, a process as its own parent, more used than there is', () => {
    const [first] = JSON.parse(checkdataText({ ...ONE, fleet: usualFleet('debian-12', 'typical') })).processes;
    const second = { ...first, pid: 99_999 };
    const withChecks = (checks: object) => changed((document) => ({ ...document, ...checks }));
    const processes = (...own: object[]) => faultOf(withChecks({ processes: own }));
    expect(processes(first, { ...second, pid: first.pid })).toMatchObject({ place: '$.processes[1].pid' });
    expect(processes(first, { ...second, ppid: second.pid })).toMatchObject({ place: '$.processes[1].ppid' });
    const { memory, swap, disks, cpu } = JSON.parse(TEXT);
    expect(faultOf(withChecks({ memory: { ...memory, used: memory.total + 1 } }))).toMatchObject({
      place: '$.memory.used',
    });
    expect(faultOf(withChecks({ swap: { ...swap, total: 1, used: 2 } }))).toMatchObject({ place: '$.swap.used' });
    const [{ disk, usage }] = disks;
    const full = [{ disk, usage: { ...usage, used: usage.total + 1 } }];
    expect(faultOf(withChecks({ disks: full }))).toMatchObject({ place: '$.disks[0].usage.used' });
    expect(faultOf(withChecks({ cpu: { ...cpu, cpu_total_percentage: 101 } }))).toMatchObject({
      expected: 'a percentage',
    });
  });

  it('with a million nested brackets is reported', () => {
    const machine = `{"Name":"","Uuid":"","x":${'['.repeat(1e6)}${']'.repeat(1e6)}}`;
    const text = TEXT.replace(/}$/, `,"libvirt":{"vm":${machine}}}`);
    expect(faultOf(text)).toMatchObject({ place: 'the document', found: 'too many levels of brackets' });
  });

  it('with an impossible counter is reported, except for an average over a counter that was reset', () => {
    const [card = ''] = Object.keys(JSON.parse(TEXT).net_io);
    const withCard = (members: object) =>
      changed((document) => {
        const cards = document.net_io as Record<string, object>;
        return { ...document, net_io: { ...cards, [card]: { ...cards[card], ...members } } };
      });
    expect(faultOf(withCard({ avg_bytes_sent_ps: 2 ** 64 - 2048 }))).toBeUndefined();
    expect(faultOf(withCard({ bytes_sent: 2 ** 64 - 2048 }))).toMatchObject({
      place: `$.net_io.${card}.bytes_sent`,
      expected: 'at most 100000000000 per second of uptime',
    });
  });
});

describe('the bytes of a file', () => {
  it('are read as UTF-8 or as saved by PowerShell, with or without a byte order mark', () => {
    const utf16 = Buffer.from(`\ufeff${TEXT}`, 'utf16le');
    for (const bytes of [Buffer.from(TEXT), Buffer.from(`\ufeff${TEXT}`), utf16])
      expect(documentText(bytes)).toBe(TEXT);
  });

  it('in another encoding are reported with the place of the first invalid byte', () => {
    const fault = { place: 'line 2, column 2', expected: 'UTF-8', found: 'the byte 0xf6' };
    expect(documentText(Buffer.from('ü\nrööt'.replace('ö', '\xf6'), 'latin1'))).toMatchObject({
      place: 'line 1, column 1',
    });
    expect(documentText(Buffer.concat([Buffer.from('ü\nr'), Buffer.from([0xf6])]))).toEqual(fault);
  });
});
