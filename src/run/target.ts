import { isDeepStrictEqual } from 'node:util';
import { openIdentityStore } from '../base/storage/identity-store.ts';
import { readCertificates, readKey } from '../base/storage/text-files.ts';
import { hostTimeMs } from '../load/host-clock.ts';
import type { Shard } from '../load/shard.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { baseUrlsOf } from '../scenario/server-urls.ts';
import type { EmbeddedTls } from '../scenario/target.ts';
import { DEFAULT_SETTINGS, type MonitoringServerSettings } from '../server/settings.ts';
import type { IssuedCredential, ShardTarget } from '../workers/messages.ts';
import { type ServerThread, startServerThread } from '../workers/server-thread.ts';
import { baseAt } from './base-target.ts';

/** The target of a run, ready for requests, with its known passwords. */
export type RunTarget = Readonly<Awaited<ReturnType<typeof openTarget>>>;

/**
 * Opens the identity file and starts the embedded server, if the scenario requires them.
 * @throws UserError if the identity file or a certificate cannot be used.
 */
export async function openTarget(scenario: Scenario, shard: Shard) {
  const { target, fleet, hostClock } = scenario;
  const store = fleet.identities.kind === 'file' ? openIdentityStore(fleet.identities.path) : undefined;
  const key = passwordsKey(target);
  try {
    const claim = store?.claim({ target: key, seed: fleet.seed, shard });
    const knownPasswords = store && (() => store.entries(key));
    const server = target.url === 'embedded' ? await startEmbedded(scenario, knownPasswords) : undefined;
    return {
      ...(await wayTo(target, server)),
      /** From earlier runs; `undefined` if the fleet's passwords are not kept. */
      knownPasswords,
      openJournal: claim?.openJournal,
      saveCredentials: (credentials: readonly IssuedCredential[]) => store?.save(key, credentials),
      /** Schedules the scenario's faults and starts the hosts' clocks; called shortly before the start of the run. */
      startFaults: (startedAt: Date): void => {
        const realMs = startedAt.getTime();
        const aheadMs = Math.max(0, realMs - Date.now());
        server?.setFaults(target.faults.map((fault) => ({ ...fault, atMs: aheadMs + fault.atMs })));
        if (hostClock === undefined) return;
        server?.setHostClock({ realMs, hostMs: hostTimeMs(hostClock, realMs, 0), factor: hostClock.factor });
      },
      /** Reports what arrived; `undefined` if this target cannot. */
      observe: server?.observe,
      close: async (): Promise<void> => {
        await server?.stop();
        store?.close();
      },
    };
  } catch (error) {
    store?.close();
    throw error;
  }
}

/**
 * The target of an edited scenario, for agents that join. If the target has other passwords, it is opened again and has its own `close`;
 * otherwise it shares that of `present`.
 * @throws UserError if the identity file or a certificate cannot be used.
 */
export async function changedTarget(
  present: RunTarget,
  { from, to }: { readonly from: Scenario; readonly to: Scenario },
  shard: Shard,
): Promise<RunTarget> {
  if (isDeepStrictEqual(from.target, to.target)) return present;
  if (passwordsKey(from.target) !== passwordsKey(to.target)) return openTarget(to, shard);
  return { ...present, ...(await wayTo(to.target, undefined)) };
}

/** Several base URLs lead to the same server, on which an agent has one password. */
export function passwordsKey({ url }: Scenario['target']): string {
  return url === 'embedded' ? url : new URL(url).href.replace(/\/+$/, '');
}

async function wayTo(
  target: Scenario['target'],
  server: Pick<ServerThread, 'url' | 'certificate'> | undefined,
): Promise<Pick<ShardTarget, 'bases' | 'tls'>> {
  const { verify, caFile } = target.tls;
  const ca = caFile === undefined ? undefined : await readCertificates(caFile);
  const urls = server === undefined ? baseUrlsOf(target) : [server.url];
  return {
    bases: await Promise.all(urls.map((url) => baseAt(url, target))),
    // An embedded server's certificate is its own authority.
    tls: { verify, ca: ca ?? server?.certificate },
  };
}

// The embedded server keeps nothing after a run, so it receives the registrations of earlier runs at the start.
async function startEmbedded(
  { target, fleet }: Scenario,
  knownPasswords: (() => Iterable<IssuedCredential>) | undefined,
) {
  const registrations = [...(knownPasswords?.() ?? [])];
  return startServerThread({
    ...DEFAULT_SETTINGS,
    apiKey: target.apiKey,
    dialect: target.dialect,
    seed: fleet.seed,
    registrations,
    tls: await embeddedTls(target.tls.serve),
  });
}

async function embeddedTls(serve: EmbeddedTls | undefined): Promise<MonitoringServerSettings['tls']> {
  if (serve?.kind !== 'files') return serve;
  const { certFile, keyFile } = serve;
  return { kind: 'given', certificate: await readCertificates(certFile), key: await readKey(keyFile) };
}
