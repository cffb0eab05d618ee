import type { Address } from '../../ground/kernel/address.ts';
import type { AgentPath, PullEnding } from '../../ground/protocol/pull.ts';
import { createPullClient, type PullClientSettings } from '../../wire/transport/pull-client.ts';
import type { Taken } from '../intake.ts';
import type { OpenFolder } from './open-folder.ts';

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

/**
 * Polls agents' web servers for their documents, as a monitoring server does, until the signal aborts. Each round polls all agents
 * for check data and, when they are due, for packages.
 */
export async function pollAgents(
  order: PollOrder,
  {
    folder,
    nameOf,
    report,
    signal,
  }: {
    readonly folder: OpenFolder;
    readonly nameOf: (agent: Address) => string;
    readonly report: (polled: Polled) => void;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const client = createPullClient(order);
  const { secure, basicAuth } = order;
  const ask = async (agent: Address, path: AgentPath): Promise<void> => {
    const ending = await client.request({ address: agent, secure, path, basicAuth, body: undefined }).ending;
    if (signal.aborted) return;
    const secrets = basicAuth === undefined ? [] : [basicAuth.slice(basicAuth.indexOf(':') + 1)];
    const reason = failureOf(ending);
    if (reason !== undefined || ending.kind !== 'answer')
      return report({ kind: 'failed', agent, path, reason: reason ?? '' });
    const offer = { text: ending.body, source: nameOf(agent), arrivedMs: undefined, secrets };
    report({ kind: 'taken', agent, path, taken: folder.intake.take(offer) });
  };
  signal.addEventListener('abort', () => client.close());
  let packagesDueMs = 0;
  while (!signal.aborted) {
    const startedMs = performance.now();
    const withPackages = startedMs >= packagesDueMs;
    if (withPackages) packagesDueMs = startedMs + order.packagesEveryMs;
    const requests = order.agents.flatMap((agent): [Address, AgentPath][] => {
      return withPackages
        ? [
            [agent, '/'],
            [agent, '/packages'],
          ]
        : [[agent, '/']];
    });
    await someAtOnce(requests, order.concurrency, ([agent, path]) => ask(agent, path));
    folder.save();
    await pause(order.everyMs - (performance.now() - startedMs), signal);
  }
}

function failureOf(ending: PullEnding): string | undefined {
  if (ending.kind === 'failure') return ending.failure;
  return ending.status === 200 ? undefined : `http_${ending.status}`;
}

async function someAtOnce<One>(all: readonly One[], count: number, act: (one: One) => Promise<void>): Promise<void> {
  const waiting = [...all];
  const work = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await act(one);
  };
  await Promise.all(Array.from({ length: Math.min(count, all.length) }, work));
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, Math.max(0, ms));
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
