import { NO_EVIDENCE } from '../../base/protocol/exchange.ts';
import type { PullEnding } from '../../base/protocol/pull.ts';
import type { Outcome } from '../../metrics/recording/outcomes.ts';
import type { TraceSubject } from '../../metrics/recording/trace.ts';
import type { PulledAgent } from './plan.ts';
import { outcomeOf, type Send } from './requests.ts';
import { type AgentState, type OperationInFlight, type PollerState, phaseOf, seriesAt } from './state.ts';

const CANCELED: PullEnding = {
  kind: 'failure',
  failure: 'canceled',
  inHandshake: false,
  sentBytes: 0,
  receivedBytes: 0,
};

/** Returns the function that sends an operation's requests. It sends nothing after the operation was canceled. */
export function sender(poller: PollerState, { agent }: AgentState, inFlight: OperationInFlight): Send {
  const { client, clock, trace } = poller.ports;
  const isTraced = trace?.follows(agent.index);
  return async ({ body, ...request }) => {
    if (inFlight.done) return CANCELED;
    if (isTraced && inFlight.last !== undefined) traceAnswer(poller, agent, { inFlight, outcome: undefined });
    const { address, basicAuth } = agent;
    const written = (head: string) =>
      trace?.request(traceSubjectOf(poller, agent, inFlight), () => ({ head, body: body ?? '' }));
    const startedMs = clock();
    const call = client.request({ address, basicAuth, body, ...request, ...(isTraced && { written }) });
    inFlight.call = call;
    const ending = await call.ending;
    inFlight.last = { call, startedMs, endedMs: clock() };
    if (inFlight.decisive === undefined || outcomeOf(inFlight.decisive.ending) === 'ok')
      inFlight.decisive = { call, ending };
    inFlight.sentBytes += ending.sentBytes;
    inFlight.receivedBytes += ending.receivedBytes;
    return ending;
  };
}

type Ended = { readonly inFlight: OperationInFlight; readonly outcome: Outcome | undefined };

/** Traces the answer to the last request. `outcome` is the operation's; `undefined` if it continues. */
export function traceAnswer(poller: PollerState, agent: PulledAgent, { inFlight, outcome }: Ended): void {
  const nowMs = poller.ports.clock();
  const { last = { call: undefined, startedMs: inFlight.startedMs, endedMs: nowMs } } = inFlight;
  const subject = { ...traceSubjectOf(poller, agent, inFlight), atMs: last.endedMs };
  const end = { outcome, serviceMs: last.endedMs - last.startedMs };
  poller.ports.trace?.answer(subject, end, () => last.call?.evidence() ?? NO_EVIDENCE);
  inFlight.last = undefined;
}

function traceSubjectOf(
  poller: PollerState,
  agent: PulledAgent,
  { operation, dueMs }: OperationInFlight,
): TraceSubject {
  const { name: phase } = phaseOf(poller, dueMs);
  return { phase, operation, agent: agent.index, atMs: poller.ports.clock(), secrets: secretsOf(agent) };
}

/** Secrets in requests to an agent and in its answers. */
function secretsOf({ basicAuth = '' }: PulledAgent): readonly string[] {
  return [basicAuth, basicAuth.slice(basicAuth.indexOf(':') + 1), Buffer.from(basicAuth).toString('base64')];
}

type Failed = {
  readonly inFlight: OperationInFlight;
  readonly outcome: Outcome;
  /** In addition to what was seen. */
  readonly reason?: string | undefined;
};

/** Records the agent's answer, or the error, for the first failures of each kind. */
export function keepEvidence(
  poller: PollerState,
  { agent }: AgentState,
  { inFlight, outcome, reason = '' }: Failed,
): void {
  const { operation, dueMs, decisive } = inFlight;
  const series = seriesAt(poller, dueMs, operation);
  if (!series.wantsEvidence(outcome)) return;
  const evidence = decisive?.call.evidence() ?? NO_EVIDENCE;
  const reasons = [reason, evidence.reason];
  const witness = { agent: agent.index, atMs: poller.ports.clock(), secrets: secretsOf(agent) };
  series.keepEvidence(outcome, witness, { ...evidence, reason: reasons.filter((reason) => reason !== '').join('; ') });
}
