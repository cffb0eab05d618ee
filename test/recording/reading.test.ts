import { describe, expect, it } from 'vitest';
import { readDocument } from '../../src/recording/reading.ts';
import { checkdataText, packagesText, usualFleet } from '../machine/any-machine.ts';

const ONE = { fleet: usualFleet('debian-12', 'lean'), agent: 1, instantMs: Date.UTC(2026, 5, 1) };
const TEXT = checkdataText(ONE);

function faultOf(text: string) {
  const read = readDocument(text);
  return read.kind === 'fault' ? read.fault : undefined;
}

/** Check data with another agent or further checks. */
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

  it('keeps numbers that no double can hold', () => {
    const windows = { ...ONE, fleet: usualFleet('windows-11', 'lean') };
    const text = checkdataText({ ...windows, fleet: { ...windows.fleet, payload: 'typical' } });
    const read = readDocument(text);
    const digits = (json: string) => json.match(/"Timestamp_Sys100NS":(\d+)/)?.[1];
    expect(digits(read.kind === 'document' ? read.document.text : '')).toBe(digits(text));
  });
});

describe('what is no document', () => {
  it.each([
    ['', 'line 1, column 1', 'check data or package information of an agent', 'nothing'],
    ['[]', 'line 1, column 1', 'check data or package information of an agent', 'a list'],
    ['{"agent":\n  oops}', 'line 2, column 3', 'JSON', '"oops}"'],
    [TEXT.slice(0, 500), 'line 1, column 501', 'the rest of the document', 'the end: it was cut off'],
    ['{}', '$', 'check data or package information of an agent', 'an empty one, of an agent before its first result'],
    ['{"checkdata":7}', '$.checkdata', 'check data or package information of an agent', 'number 7'],
    ['{"cpu":{}}', '$.agent', 'what an agent says of itself', 'nothing'],
  ])('is told with its place: %#', (text, place, expected, found) => {
    expect(faultOf(text)).toEqual({ place, expected, found });
  });

  it('of a release that nobody knows is told so', () => {
    const text = changed(({ agent, ...checks }) => ({
      agent: { ...agent, agent_version: '2.9.9' },
      ...checks,
    }));
    expect(faultOf(text)).toEqual({
      place: '$.agent.agent_version',
      expected: 'a version of the agent from 3.0.10 to 3.6.1',
      found: '"2.9.9"',
    });
  });

  it('has members that nobody knows, which are named', () => {
    expect(faultOf(changed((document) => ({ ...document, gpu: {} })))).toMatchObject({
      place: '$.gpu',
      found: '"gpu"',
    });
    const more = changed(({ memory, ...rest }) => ({ ...rest, memory: { ...memory, zswap: 1 } }));
    expect(faultOf(more)).toEqual({ place: '$.memory.zswap', expected: 'no member of this name', found: '"zswap"' });
  });

  it('has a value of another kind, which is not shown', () => {
    const text = changed(({ swap, ...rest }) => ({ ...rest, swap: { ...swap, used: 'hunter2' } }));
    expect(faultOf(text)).toEqual({ place: '$.swap.used', expected: 'number', found: 'a text' });
  });

  it('of packages is a collection that has not been', () => {
    const pending = JSON.stringify({ ...JSON.parse(packagesText(ONE)), Pending: true });
    expect(faultOf(pending)).toMatchObject({ place: '$', found: 'Pending: true' });
  });
});
