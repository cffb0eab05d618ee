import type { Outcome } from '../metrics/recording/outcomes.ts';
import type { PullOperation } from '../protocol/operations.ts';
import { AGENT_PATHS } from '../protocol/pull.ts';
import { outcomeOf, readMember } from './answers.ts';
import { configurationBody } from './bodies.ts';
import type { AgentState, Core } from './core.ts';
import { type Ask, confirmExchange, exchangeFirst } from './exchange/exchange.ts';
import type { ExchangeResult } from './exchange/results.ts';

/** What came of an operation. */
export type Result =
  | { readonly operation: 'exchange'; readonly outcome: Outcome; readonly exchange: ExchangeResult }
  | { readonly operation: Exclude<PullOperation, 'exchange'>; readonly outcome: Outcome };

/** The requests of an operation at one agent, one after another. */
export async function perform(core: Core, state: AgentState, { operation, ask }: Task): Promise<Result> {
  const secure = core.plan.security.kind !== 'http';
  switch (operation) {
    case 'exchange': {
      const exchange = await exchanged(core, state, ask);
      return { operation, outcome: exchange.kind === 'failed' ? exchange.outcome : 'ok', exchange };
    }
    case 'configure': {
      const { configuration } = core.plan;
      if (configuration === undefined) throw new Error('there is no configuration to push');
      const body = configurationBody(configuration.documents, state.agent.address);
      return { operation, outcome: outcomeOf(await ask({ secure, path: AGENT_PATHS.config, body })) };
    }
    case 'poll':
      return { operation, outcome: await readFrom(ask, secure, 'agent') };
    case 'poll-packages':
      return { operation, outcome: await readFrom(ask, secure, 'Stats') };
  }
}

type Task = { readonly operation: PullOperation; readonly ask: Ask };

function exchanged({ ports }: Core, state: AgentState, ask: Ask): Promise<ExchangeResult> {
  if (state.exchanged) return confirmExchange(ask);
  if (ports.signer === undefined) throw new Error('Auto-TLS needs an authority');
  return exchangeFirst(ask, ports.signer);
}

async function readFrom(ask: Ask, secure: boolean, member: 'agent' | 'Stats'): Promise<Outcome> {
  const path = member === 'agent' ? AGENT_PATHS.checkdata : AGENT_PATHS.packages;
  const read = readMember(await ask({ secure, path }), member);
  return read.kind === 'member' ? 'ok' : read.outcome;
}
