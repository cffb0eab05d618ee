import { randomUUID } from 'node:crypto';
import { messageOf } from '../../kernel/errors.ts';
import { createRecorder } from '../../metrics/recording/recorder.ts';
import { makeAuthority } from '../../poller/authority/authority.ts';
import { openSigner } from '../../poller/authority/signer.ts';
import type { PollerChange, PollerCounts, PollerPlan, PulledAgent } from '../../poller/plan.ts';
import { createPoller } from '../../poller/poller.ts';
import { runPoller } from '../../poller/run-poller.ts';
import { monotonicClock } from '../../runtime/event-loop.ts';
import { writtenAddress } from '../../scenario/listen-range.ts';
import { openPullState, type PullState } from '../../storage/pull-state.ts';
import { readScenarioFile } from '../../storage/text-files.ts';
import { createPullClient } from '../../transport/pull-client.ts';
import { changeText } from './change-text.ts';
import type { PullOrder } from './pull-file.ts';

/** The pull side of a server that runs until it is stopped. */
export type Pull = {
  readonly run: (signal: AbortSignal) => Promise<void>;
  readonly counts: () => PollerCounts;
  /** Gives the state up where there is nothing to run. */
  readonly close: () => void;
};

/**
 * Opens the state, makes the authority if there is none, and has everything ready. `tell` gets one line per change.
 * Throws `UserError` if the state or the configuration file cannot be used.
 */
export async function startPull(order: PullOrder, tell: (line: string) => void): Promise<Pull> {
  const plan = await planOf(order);
  const state = order.autoTls && order.state !== undefined ? await openPullState(order.state) : undefined;
  const authority = state && (await authorityOf(state, tell));
  const startMs = monotonicClock();
  const clock = () => monotonicClock() - startMs;
  const agents = plan.agents.map((agent) => ({ ...agent, exchanged: state?.exchanged.has(nameOf(agent)) ?? false }));
  const poller = createPoller(
    { ...plan, agents },
    {
      clock,
      client: createPullClient({ credentials: authority, timeoutMs: order.timeout }),
      signer: authority && (await openSigner(authority, Date.now)),
      recorder: createRecorder(),
      changed: (number, change) => {
        const name = nameOf(agents[number]);
        tell(`${name}: ${changeText(change)}`);
        if (state !== undefined) remember(state, name, { change, tell });
      },
    },
  );
  return {
    run: (signal) => runPoller(poller, clock, signal).finally(() => state?.close()),
    counts: poller.counts,
    close: () => state?.close(),
  };
}

async function planOf(order: PullOrder): Promise<PollerPlan> {
  const configuration = order.config === undefined ? undefined : await readScenarioFile(order.config);
  const { basicAuth } = order;
  return {
    agents: order.agents.map((address, index) => ({ address, index, basicAuth, exchanged: false })),
    phases: [{ name: 'serve', startMs: 0, durationMs: Number.POSITIVE_INFINITY }],
    security: securityOf(order),
    everyMs: order.every,
    packagesEveryMs: order.packages,
    concurrency: order.concurrency,
    configuration: configuration === undefined ? undefined : pushed(configuration),
  };
}

// The agent has its checks and exporters in files of their own, which a configuration without them empties.
function pushed(configuration: string): PollerPlan['configuration'] {
  return { documents: { configuration, customChecks: '', exporters: '' }, fromMs: undefined };
}

function securityOf({ autoTls, https, exchangeAgain }: PullOrder): PollerPlan['security'] {
  if (autoTls) return { kind: 'auto-tls', exchangeAgain };
  return { kind: https ? 'https' : 'http' };
}

async function authorityOf(state: PullState, tell: (line: string) => void) {
  if (state.authority !== undefined) return state.authority;
  tell('Making the authority of this server; its RSA key takes some seconds.');
  const made = await makeAuthority({ systemId: randomUUID(), keyType: 'rsa-4096', nowMs: Date.now() });
  state.keepAuthority(made);
  return made;
}

function remember(
  state: PullState,
  name: string,
  { change, tell }: { change: PollerChange; tell: (line: string) => void },
): void {
  try {
    if (change.kind === 'exchanged') state.remember(name);
    if (change.kind === 'lost') state.forget(name);
  } catch (error) {
    tell(`${name}: a restart will not know of this, as the state cannot be written: ${messageOf(error)}`);
  }
}

function nameOf(agent: PulledAgent | undefined): string {
  return agent === undefined ? '' : writtenAddress(agent.address);
}
