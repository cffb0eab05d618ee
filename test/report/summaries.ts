import type { OperationThreshold, Threshold } from '../../src/metrics/judging/thresholds.ts';
import type { Reason } from '../../src/metrics/judging/verdict.ts';
import { createRecorder } from '../../src/metrics/recording/recorder.ts';
import { summarize } from '../../src/metrics/summary/summary.ts';
import type { Summary } from '../../src/metrics/summary/summary-schema.ts';
import { deliveryOf } from '../metrics/deliveries.ts';
import { FACTS, PHASES, perform, phase, recordingOf, stateAt } from '../metrics/recordings.ts';

const STEADY = {
  description: 'Does the server handle the fleet, even when all agents report at the same time?',
  target: { url: 'https://push.example/base' },
};

const AGENTS = { unregistered: 0, waiting: 0, refused: 2, registered: 0, authorized: 998 };

function threshold(
  part: Pick<OperationThreshold, 'text' | 'statistic' | 'comparator' | 'bound'> & Partial<OperationThreshold>,
): OperationThreshold {
  return { kind: 'operation', operation: 'checkdata', phase: undefined, ...part };
}

const P99: OperationThreshold = threshold({
  text: 'p(99) < 250ms',
  statistic: { kind: 'percentile', percentile: 99 },
  comparator: '<',
  bound: 250,
});

const LOST: Threshold = { kind: 'delivery', figure: 'lost', comparator: '==', bound: 0, text: 'lost == 0' };

const ERRORS: Threshold = threshold({
  text: 'error_rate < 0.1%',
  statistic: { kind: 'error_rate' },
  comparator: '<',
  bound: 0.001,
});

/** A run without problems. */
export function goodSummary(): Summary {
  const recorder = createRecorder();
  for (let i = 0; i < 1000; i++) {
    perform(recorder, { phase: 'enroll', operation: 'register', serviceMs: 1 + i / 200 });
    for (let push = 0; push < 4; push++) perform(recorder, { serviceMs: 2 + i / 100 });
    recorder.series('steady', 'checkdata').pickedUp(0.2 + i / 1000);
  }
  const frame = recorder.takeFrame(stateAt(4, { agents: AGENTS, loopUtilization: 0.34 }));
  const delivery = deliveryOf({
    register: { sent: 1000, acknowledged: 1000, received: 1000 },
    checkdata: { sent: 4000, acknowledged: 4000, received: 4000 },
  });
  return summarize(recordingOf([frame]), { ...FACTS, delivery, thresholds: [P99, ERRORS, LOST] });
}

/** A run whose server is slower in its second phase than in its first. */
export function twoPhaseSummary(): Summary {
  const recorder = createRecorder();
  const spans = [
    { ...phase('warm-up', { startMs: 0, durationMs: 1000, operation: 'checkdata' }), excluded: true },
    phase('steady', { startMs: 1000, durationMs: 2000, operation: 'checkdata' }),
    phase('burst-of-the-whole-fleet', { startMs: 3000, durationMs: 2000, operation: 'checkdata' }),
  ];
  for (const { name } of spans)
    for (let i = 0; i < 1000; i++)
      perform(recorder, { phase: name, serviceMs: (name === 'steady' ? 2 : 40) + i / 100 });
  for (let i = 0; i < 50; i++) perform(recorder, { operation: 'authorize', serviceMs: 3 });
  const frame = recorder.takeFrame(stateAt(4, { agents: AGENTS, loopUtilization: 0.34 }));
  return summarize(recordingOf([frame], spans), { ...FACTS, scenario: STEADY });
}

/** A run with server failures, busy agents and crossed thresholds. */
export function badSummary(): Summary {
  const recorder = createRecorder();
  const outcomes = ['timeout', 'http_503', 'http_503', 'connection_reset', 'ok', 'ok', 'ok', 'ok'] as const;
  for (let i = 0; i < 12_000; i++) {
    const outcome = outcomes[i % outcomes.length] ?? 'ok';
    perform(recorder, { outcome, serviceMs: outcome === 'timeout' ? 29_000 : 180 + (i % 400), lagMs: (i % 90) * 2 });
  }
  const series = recorder.series('steady', 'checkdata');
  for (let i = 0; i < 1500; i++) {
    series.planned();
    series.dropped(i % 3 === 0 ? 'run_ended' : 'agent_busy');
  }
  series.pickedUp(3);
  const html = { reason: '', head: 'HTTP/1.1 503 Service Unavailable\nServer: nginx', body: '<h1>\u001b[2J503</h1>' };
  series.keepEvidence('http_503', { agent: 7, atMs: 3210, secrets: [] }, html);
  const silence = { reason: 'never answered, though the request was sent', head: '', body: '' };
  series.keepEvidence('timeout', { agent: 12, atMs: 4000, secrets: [] }, silence);
  const absent = threshold({ ...P99, operation: 'register', phase: 'enroll', text: 'p(95) < 500ms' });
  const frame = recorder.takeFrame(stateAt(4, { agents: AGENTS, loopUtilization: 0.81 }));
  const delivery = deliveryOf({
    checkdata: { sent: 12_000, acknowledged: 6000, refused: 3000, received: 5997, backward: 2 },
    packages: { sent: 1, received: 2 },
  });
  return summarize(recordingOf([frame]), { ...FACTS, delivery, thresholds: [P99, ERRORS, absent, LOST] });
}

/** A run of a closed model whose generator was too slow, and which lost a worker. */
export function invalidSummary(): Summary {
  const recorder = createRecorder();
  const phases = [
    phase('as-fast-as-possible', { startMs: 0, durationMs: 5000, operation: 'authorize', model: 'concurrency' }),
  ];
  for (let i = 0; i < 40_000; i++) {
    perform(recorder, { phase: 'as-fast-as-possible', operation: 'authorize', serviceMs: 0.2 + i / 100_000 });
    recorder.series('as-fast-as-possible', 'authorize').pickedUp(i / 100);
  }
  recorder.series('as-fast-as-possible', 'authorize').planned();
  const frame = recorder.takeFrame(stateAt(4, { agents: AGENTS, loopUtilization: 0.991 }));
  const reasons: Reason[] = [
    { kind: 'incomplete', text: 'worker 1 ended before the run did (out of memory), and with it 500 of 1,000 agents' },
  ];
  const delivery = { observed: false, reason: 'a worker was lost, and with it what its agents sent' } as const;
  return summarize(recordingOf([frame], phases), { ...FACTS, reasons, delivery, thresholds: [LOST] });
}

/** A run whose agents were polled, some of which exited because of a pushed configuration. */
export function polledSummary(): Summary {
  const served = createRecorder();
  for (let i = 0; i < 2000; i++) {
    const answer = { serviceMs: 0.2 + i / 4000, sentBytes: 50_000, receivedBytes: 90 };
    served.series('steady', 'serve-checkdata').served(i % 100 === 0 ? 'client_gone' : 'ok', answer);
    perform(served, { operation: 'poll', serviceMs: 0.5 + i / 4000, outcome: i % 100 === 0 ? 'timeout' : 'ok' });
  }
  const agents = { ...AGENTS, unregistered: 1000, authorized: 0, refused: 0 };
  const refused = { unknown_ca: 52, plain_http: 8 };
  const listeners = { accepted: 2100, late: 3, handshakes: 2040, refused, unanswered: 20 };
  const frames = [
    createRecorder().takeFrame(stateAt(3, { agents, listening: 1000 })),
    served.takeFrame(stateAt(4, { agents, listening: 994, down: 6, listeners })),
  ];
  const down = Array.from({ length: 6 }, (_, n) => ({
    host: `web-${n}.example`,
    reason:
      n > 0
        ? 'config.ini says interval = often'
        : 'the certificate in /etc/agent.crt and the key in /etc/agent.key do not match',
  }));
  const polled = { ...threshold({ ...P99, operation: 'poll' }), bound: 0.5, text: 'p(99) < 0.5ms' };
  return summarize(recordingOf(frames), { ...FACTS, down, thresholds: [polled] });
}

/** A run without a server. */
export function unreachableSummary(): Summary {
  const recorder = createRecorder();
  for (let i = 0; i < 20; i++) {
    perform(recorder, { phase: 'enroll', operation: 'register', outcome: 'connection_refused', serviceMs: 0.3 });
  }
  const agents = { ...AGENTS, unregistered: 1000, authorized: 0, refused: 0 };
  return summarize(recordingOf([recorder.takeFrame(stateAt(1, { agents }))], PHASES), FACTS);
}
