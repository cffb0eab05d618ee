import { describe, expect, it } from 'vitest';
import type { ExchangeEvidence } from '../../../src/base/protocol/exchange.ts';
import { createEvidenceKeeper, createEvidenceSum } from '../../../src/metrics/recording/evidence.ts';
import type { Outcome } from '../../../src/metrics/recording/outcomes.ts';
import type { Evidence } from '../../../src/metrics/recording/schema.ts';

const KEY = { phase: 'steady', operation: 'checkdata', outcome: 'http_500' } as const;

function kept(
  seen: Partial<ExchangeEvidence>,
  secrets: readonly string[] = [],
  own: readonly string[] = [],
): Evidence | undefined {
  const keeper = createEvidenceKeeper(secrets);
  keeper.keep(KEY, { agent: 7, atMs: 1234.6, secrets: own }, { reason: '', head: '', body: '', ...seen });
  return keeper.take()[0];
}

describe('evidence', () => {
  it('contains what was received, the agent and the time, and omits missing parts', () => {
    const head = 'HTTP/1.1 500 Oops\r\nServer: nginx';
    expect(kept({ head, body: 'line 1\r\nline 2\n' })).toEqual({
      ...KEY,
      agent: 7,
      atMs: 1235,
      head: 'HTTP/1.1 500 Oops\nServer: nginx',
      body: 'line 1\nline 2',
    });
    expect(kept({ reason: 'never connected' })).toEqual({ ...KEY, agent: 7, atMs: 1235, reason: 'never connected' });
  });

  it('contains no secret: keys, issued passwords and fields with credentials, in any notation', () => {
    const head = 'HTTP/1.1 201 X\r\nSet-Cookie: sid=geheim; Path=/\r\n more=geheim\r\nauthorization:geheim\r\nX: key"1';
    const body = String.raw`{"agentuuid":"u","password":"geheim","nested":"{\"password\":\"geheim\"}","k":"key\"1"} key%221 mine X-OITC-API geheim`;
    const { head: shownHead, body: shownBody } = kept({ head, body }, ['key"1'], ['mine', '']) ?? {};
    expect(shownHead).toBe('HTTP/1.1 201 X\nSet-Cookie: ***\nauthorization: ***\nX: ***');
    expect(shownBody).toBe(
      String.raw`{"agentuuid":"u","password":"***","nested":"{\"password\":\"***\"}","k":"***"} *** *** X-OITC-API ***`,
    );
  });

  it('contains no part of a secret at which a body is cut', () => {
    const body = `${'x'.repeat(2030)}{"password":"${'geheim'.repeat(500)}"}`;
    expect(kept({ body })?.body).not.toContain('geheim');
    expect(kept({ body: `${'x'.repeat(2045)}geheim` }, ['geheim'])?.body).toBe(`${'x'.repeat(2045)}***`);
  });

  it('contains only printable characters and line breaks', () => {
    expect(kept({ body: '\u001b[2Jred\n\u202Eright' })?.body).toBe('\\u001b[2Jred\n\\u202eright');
  });

  it('is limited in length', () => {
    const long = kept({ reason: 'r'.repeat(9000), head: 'h'.repeat(9000), body: 'b'.repeat(100_000) });
    expect([long?.reason?.length, long?.head?.length, long?.body?.length]).toEqual([602, 2050, 2050]);
    expect(long?.body?.endsWith('b …')).toBe(true);
  });

  it('is kept for the first three of each phase, operation and outcome, and for a hundred at most', () => {
    const keeper = createEvidenceKeeper([]);
    let all = 0;
    for (let status = 500; status < 600; status++) {
      const key = { ...KEY, outcome: `http_${status}` as Outcome };
      for (let n = 0; n < 5; n++) {
        if (!keeper.wants(key)) continue;
        keeper.keep(key, { agent: n, atMs: n, secrets: [] }, { reason: 'r', head: '', body: '' });
        all++;
      }
    }
    expect(all).toBe(100);
    const taken = keeper.take();
    expect(taken.filter(({ outcome }) => outcome === 'http_501').map(({ agent }) => agent)).toEqual([0, 1, 2]);
    expect(keeper.take()).toEqual([]);
  });

  it('of several shards is the earliest of each kind, whichever shard reports first', () => {
    const one = (atMs: number, agent: number): Evidence => ({ ...KEY, agent, atMs });
    const parts = [[one(30, 1), one(50, 1)], [one(40, 2), one(10, 2)], [one(10, 0)]];
    for (const order of [parts, parts.toReversed()]) {
      const sum = createEvidenceSum();
      for (const part of order) sum.add(part);
      expect(sum.read()).toEqual([one(10, 0), one(10, 2), one(30, 1)]);
    }
  });
});
