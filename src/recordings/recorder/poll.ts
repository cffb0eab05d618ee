import type { Address } from '../../base/kernel/address.ts';
import type { AgentPath } from '../../base/protocol/pull.ts';
import { createPullClient, type PullClientSettings } from '../../wire/transport/pull-client.ts';
import type { Intake, Taken } from './intake.ts';

export type PollOrder = {
  readonly agents: readonly Address[];
  readonly secure: boolean;
  readonly basicAuth: string | undefined;
  readonly everyMs: number;
  readonly packagesEveryMs: number;
  /** Maximum number of requests in flight. */
  readonly concurrency: number;
} & PullClientSettings;

export type Polled = { readonly agent: Address; readonly path: AgentPath } & (
  | { readonly kind: 'taken'; readonly taken: Taken }
  | { readonly kind: 'failed'; readonly reason: string }
);

type Polling = {
  readonly intake: Intake;
  readonly nameOf: (agent: Address) => string;
  readonly report: (polled: Polled) => void;
  readonly signal: AbortSignal;
};

/**
 * Polls agents' web servers for their documents, as a monitoring server does, until the signal aborts. Each round polls all agents
 * for check data and, when they are due, for packages.
 */
export async function pollAgents(order: PollOrder, { intake, nameOf, report, signal }: Polling): Promise<void> {
  const client = createPullClient(order);
  const { agents, secure, basicAuth, everyMs, packagesEveryMs, concurrency } = order;
  const secrets = basicAuth === undefined ? [] : [basicAuth.slice(basicAuth.indexOf(':') + 1)];
  const ask = async (agent: Address, path: AgentPath): Promise<void> => {
    const ending = await client.request({ address: agent, secure, path, basicAuth, body: undefined }).ending;
    if (signal.aborted) return;
    if (ending.kind === 'failure') return report({ kind: 'failed', agent, path, reason: ending.failure });
    if (ending.status !== 200) return report({ kind: 'failed', agent, path, reason: `http_${ending.status}` });
    const taken = intake.take({ text: ending.body, source: () => nameOf(agent), arrivedMs: undefined, secrets });
    report({ kind: 'taken', agent, path, taken });
  };
  signal.addEventListener('abort', client.close);
  let packagesDueMs = 0;
  while (!signal.aborted) {
    const startedMs = performance.now();
    const withPackages = startedMs >= packagesDueMs;
    if (withPackages) packagesDueMs = startedMs + packagesEveryMs;
    const paths: readonly AgentPath[] = withPackages ? ['/', '/packages'] : ['/'];
    const waiting = agents.flatMap((agent) => paths.map((path) => ({ agent, path })));
    const work = async (): Promise<void> => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await ask(one.agent, one.path);
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, waiting.length) }, work));
    intake.save();
    await pause(everyMs - (performance.now() - startedMs), signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.max(0, ms));
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
