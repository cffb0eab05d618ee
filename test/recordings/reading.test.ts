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
    ['[]', 'line 1, column 1', 'check data or package information of an agent', '[]'],
    ['{"agent":\n  oops}', 'line 2, column 3', 'JSON', '"oops}"'],
    [TEXT.slice(0, 500), 'line 1, column 501', 'the rest of the document', 'the end of a truncated document'],
    [
      '{}',
      '$',
      'check data or package information of an agent',
      'the empty document of an agent before its first result',
    ],
    ['{"checkdata":7}', '$.checkdata', 'check data or package information of an agent', '7'],
    ['{"cpu":{}}', '$.agent', 'the agent section', 'nothing'],
  ])('is reported with its place: %#', (text, place, expected, found) => {
    expect(faultOf(text)).toEqual({ place, expected, found });
  });

  it('of packages from a pending collection is reported', () => {
    const pending = JSON.stringify({ ...JSON.parse(packagesText(ONE)), Pending: true });
    expect(faultOf(pending)).toMatchObject({ place: '$', found: 'Pending: true' });
  });

  it('with a million nested brackets is reported', () => {
    const machine = `{"Name":"","Uuid":"","x":${'['.repeat(1e6)}${']'.repeat(1e6)}}`;
    const text = TEXT.replace(/}$/, `,"libvirt":{"vm":${machine}}}`);
    expect(faultOf(text)).toMatchObject({ place: 'the document', found: 'too many levels of brackets' });
  });
});

describe('an odd figure', () => {
  const oddIn = (change: (document: Record<string, object>) => object) => {
    const read = readDocument(changed(change));
    return read.kind === 'document' ? read.document.odd : [];
  };

  it.each([
    ['agent', 'goos', 'plan9', 'linux, windows or darwin', 'its hosts are modeled like Linux'],
    [
      'agent',
      'last_updated_timestamp',
      1e15,
      'seconds since 1970 from 1 to 4000000000',
      'the time of the document is not known',
    ],
    [
      'agent',
      'agent_version',
      '9.0.1',
      'an agent version from 3.0.10 to 3.6.1',
      'what this Muster does not know is replayed as recorded',
    ],
    ['memory', 'total', 0, 'a whole number of bytes from 1 to 9007199254740992', 'memory is replayed as recorded'],
    ['memory', 'used', 2 ** 52, /^at most the total/, 'memory is replayed as recorded'],
    ['memory', 'active', 1e300, 'a number up to 9007199254740992', 'it is kept with all digits'],
    ['swap', 'used', 'hunter2', /^a whole number of bytes/, 'swap is replayed as recorded'],
    ['cpu', 'cpu_percentage', [], 'one value per core', 'cpu is replayed as recorded'],
  ])('is named with what follows: %s.%s', (check, member, value, expected, follows) => {
    const odd = oddIn((document) => ({ ...document, [check]: { ...document[check], [member]: value } }));
    const place = `$.${check}.${member}`;
    const text = typeof expected === 'string' ? expected : expect.stringMatching(expected);
    expect(odd).toContainEqual(expect.objectContaining({ place, expected: text, found: expect.any(String), follows }));
    expect(JSON.stringify(odd)).not.toContain('hunter2');
  });

  it('is a PID that two processes share, or that a process shares with its parent', () => {
    const [first] = JSON.parse(checkdataText({ ...ONE, fleet: usualFleet('debian-12', 'typical') })).processes;
    const second = { ...first, pid: 99_999 };
    const odd = (...processes: object[]) => oddIn((document) => ({ ...document, processes }));
    expect(odd(first, { ...second, pid: first.pid })).toMatchObject([{ place: '$.processes[1].pid' }]);
    expect(odd(first, { ...second, ppid: second.pid })).toMatchObject([{ place: '$.processes[1].ppid' }]);
  });

  it('is in a check that is unknown', () => {
    expect(oddIn((document) => ({ ...document, gpu: {} }))).toMatchObject([
      { place: '$.gpu', follows: 'gpu is replayed as recorded' },
    ]);
  });
});

describe('the bytes of a file', () => {
  it('are read as UTF-8 or as saved by PowerShell, with or without a byte order mark', () => {
    const utf16 = Buffer.from(`\ufeff${TEXT}`, 'utf16le');
    const plain = [Buffer.from(TEXT), Buffer.from(`\ufeff${TEXT}`)];
    for (const bytes of [
      ...plain,
      utf16,
      utf16.subarray(2),
      Buffer.from(utf16).swap16(),
      Buffer.from(utf16).swap16().subarray(2),
    ])
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
