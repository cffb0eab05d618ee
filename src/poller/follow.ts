import type { Outcome } from '../metrics/recording/outcomes.ts';
import { at } from './agenda.ts';
import type { AgentState, Core } from './core.ts';
import { SETTLING_MS } from './exchange/exchange.ts';
import type { ExchangeResult } from './exchange/results.ts';
import type { Result } from './perform.ts';

/** Does what follows from an operation that has just ended; says whether packages are to be polled now. */
export function follow(core: Core, state: AgentState, result: Result): 'packages' | undefined {
  switch (result.operation) {
    case 'exchange':
      followExchange(core, state, result.exchange);
      return undefined;
    case 'configure':
      followConfiguration(core, state, result.outcome);
      return undefined;
    case 'poll':
      return followPoll(core, state, result.outcome);
    case 'poll-packages':
      return undefined;
  }
}

function followExchange(core: Core, state: AgentState, result: ExchangeResult): void {
  const { ports, plan } = core;
  const nowMs = ports.clock();
  if (result.kind === 'failed') {
    const { failure, outcome } = result;
    if (failure !== state.toldFailure) ports.changed(state.number, { kind: 'not_exchanged', failure, outcome });
    state.toldFailure = failure;
    if (failure === 'plain_http' && plan.security.kind === 'auto-tls' && plan.security.exchangeAgain) {
      state.exchanged = false;
      ports.changed(state.number, { kind: 'lost' });
    }
    at(core, nowMs + plan.everyMs, { state, event: 'exchange' });
    return;
  }
  state.exchanged = true;
  ports.changed(state.number, { kind: result.kind });
  // After a confirmation nothing has been handed over that the agent would have to restart for.
  at(core, result.kind === 'exchanged' ? nowMs + SETTLING_MS : nowMs, { state, event: 'ready' });
}

function followConfiguration(core: Core, state: AgentState, outcome: Outcome): void {
  state.configured = outcome === 'ok';
  core.ports.changed(state.number, state.configured ? { kind: 'configured' } : { kind: 'not_configured', outcome });
  if (state.polling) return;
  // The agent restarts its checks and has no data before.
  at(core, core.ports.clock() + (state.configured ? SETTLING_MS : 0), { state, event: 'polling' });
}

function followPoll(core: Core, state: AgentState, outcome: Outcome): 'packages' | undefined {
  const { ports, plan } = core;
  if (outcome !== state.polled)
    ports.changed(state.number, outcome === 'ok' ? { kind: 'data' } : { kind: 'no_data', outcome });
  state.polled = outcome;
  const nowMs = ports.clock();
  if (outcome !== 'ok' || state.collectsPackages || core.stopped || nowMs >= core.endMs) return undefined;
  state.collectsPackages = true;
  at(core, nowMs + plan.packagesEveryMs, { state, event: 'poll-packages' });
  return 'packages';
}
