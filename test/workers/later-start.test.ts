import { expect, it } from 'vitest';
import { EVERYONE } from '../../src/load/cohorts/cohort.ts';
import { NO_LISTENER_COUNTS } from '../../src/metrics/recording/listener-counts.ts';
import { createRecorder } from '../../src/metrics/recording/recorder.ts';
import { accountLater, detailsLater, frameLater, messageSince, querySince } from '../../src/workers/later-start.ts';

const agents = { unregistered: 0, waiting: 0, refused: 0, registered: 1, authorized: 0 };
const frame = createRecorder().takeFrame({
  shard: 3,
  second: 4,
  agents,
  inFlight: 0,
  listening: 0,
  down: 0,
  listeners: NO_LISTENER_COUNTS,
  loopUtilization: 0,
  cpuMs: 0,
  gcMs: 0,
  stalls: [{ fromMs: 4100, toMs: 4300 }],
});
const cable = {
  name: 'cable',
  cohort: EVERYONE,
  fromMs: 9000,
  toMs: 12_000,
  overMs: 0,
  action: { kind: 'disconnect', how: 'reset' },
} as const;

it('messages of a shard that started 5 s after its run are converted to times of the run', () => {
  expect(frameLater(frame, 5000)).toMatchObject({ shard: 3, second: 9, stalls: [{ fromMs: 9100, toMs: 9300 }] });
  expect(frameLater(frame, 0)).toBe(frame);
  const failed = { phase: 'steady', operation: 'checkdata', outcome: 'timeout', agent: 1, atMs: 250 } as const;
  expect(frameLater({ ...frame, evidence: [failed] }, 5000).evidence).toEqual([{ ...failed, atMs: 5250 }]);
  const happened = { name: 'stop', do: 'stop', agents: 1, fromMs: -4000, toMs: 1000, resumedMs: [0, 1500] };
  const events = frameLater({ ...frame, happened: [happened] }, 5000).happened;
  expect(events).toEqual([{ ...happened, fromMs: 1000, toMs: 6000, resumedMs: [0, 6500] }]);
  const last = { operation: 'checkdata', outcome: 'ok', endedMs: 90, serviceMs: 4 } as const;
  const known = { uuid: 'a', code: 3, actions: [], version: undefined, busy: false, last, webServer: undefined };
  const seen = { request: undefined, answer: undefined };
  const standing = detailsLater({ ...known, atMs: 100, history: [{ code: 3, atMs: 50 }], seen }, 5000);
  expect(standing).toMatchObject({ atMs: 5100, history: [{ code: 3, atMs: 5050 }], seen, last: { endedMs: 5090 } });
});

it("queries are converted to the shard's own times", () => {
  expect(querySince({ kind: 'affected_by', name: 'cable', atMs: 7000 }, 5000)).toMatchObject({ atMs: 2000 });
  const found = querySince({ kind: 'find_event', event: cable, withAgents: true }, 5000);
  expect(found).toMatchObject({ withAgents: true, event: { name: 'cable', fromMs: 4000, toMs: 7000 } });
  const other = { kind: 'changes', since: '7' } as const;
  expect(querySince(other, 5000)).toBe(other);
});

it("changes of events are converted to the shard's own times", () => {
  const added = messageSince({ kind: 'event', event: cable, otherServers: [] }, 5000);
  expect(added).toMatchObject({ kind: 'event', event: { name: 'cable', fromMs: 4000, toMs: 7000 } });
  const ended = messageSince({ kind: 'end_event', name: 'cable', atMs: 7000 }, 5000);
  expect(ended).toEqual({ kind: 'end_event', name: 'cable', atMs: 2000 });
  expect(messageSince({ kind: 'stop' }, 5000)).toEqual({ kind: 'stop' });
});

it('accounts are converted to times of the run', () => {
  const happened = { name: 'cable', do: 'disconnect', agents: 2, fromMs: 1000, toMs: 3000 } as const;
  const counts = new Uint32Array();
  const account = {
    delivery: { sent: counts, acknowledged: counts, refused: counts, assumed: [] },
    responses: [],
    down: [],
    events: [
      { ...happened, resumedMs: [0, 3500] },
      { ...happened, name: 'ended', untilMs: 2000 },
    ],
  };
  expect(accountLater(account, 0)).toBe(account);
  expect(accountLater(account, 5000).events).toEqual([
    { ...happened, fromMs: 6000, toMs: 8000, resumedMs: [0, 8500] },
    { ...happened, name: 'ended', fromMs: 6000, toMs: 8000, untilMs: 7000 },
  ]);
});
