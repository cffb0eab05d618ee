import { describe, expect, it } from 'vitest';
import { type Incident, startingFrom } from '../../../src/hosts/host/incident.ts';
import { compilePayloads } from '../../../src/hosts/payloads.ts';
import { HOST_DATA } from '../host-data.ts';

const RELATIVE: Incident = {
  kind: 'check-error',
  check: 'memory',
  isHit: (agent) => agent % 2 === 0,
  fromMs: 5000,
  toMs: 15_000,
};
const AGENTS = Array.from({ length: 50 }, (_, agent) => agent);

/** The agents without memory at a time of a run whose machines were compiled before its start. */
function hitIn(startMs: number, sinceStartMs: number): readonly number[] {
  let start = 0;
  const incidents = startingFrom(() => start, [RELATIVE], 1);
  const fleet = { seed: 1, profiles: { 'ubuntu-24.04': 1 }, payload: 'lean', checkIntervalSeconds: 30 } as const;
  const payloads = compilePayloads({ ...fleet, incidents, data: HOST_DATA });
  const out = Buffer.alloc(Math.max(...AGENTS.map(payloads.checkdataRoomBytes)));
  payloads.writeCheckdata(out, 0, 0, 0);
  start = startMs;
  return AGENTS.filter((agent) => {
    const end = payloads.writeCheckdata(out, 0, agent, startMs + sinceStartMs);
    return 'error' in JSON.parse(out.toString('utf8', 0, end)).memory;
  });
}

describe('incidents of a run that starts after its machines were compiled', () => {
  const [monday, friday] = [Date.UTC(2026, 0, 5), Date.UTC(2026, 0, 9)];

  it('occur during the run, and at no other time', () => {
    expect(hitIn(monday, 4000)).toEqual([]);
    expect(hitIn(monday, 10_000)).toEqual(AGENTS.filter(RELATIVE.isHit));
    expect(hitIn(monday, 20_000)).toEqual([]);
  });

  it('hit the same agents whenever the run starts', () => {
    expect(hitIn(friday, 10_000)).toEqual(hitIn(monday, 10_000));
  });
});
