import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { addressText } from '../base/kernel/address.ts';
import { UserError } from '../base/kernel/errors.ts';
import { counted } from '../base/kernel/units.ts';
import { identitiesOf } from '../base/storage/control-file.ts';
import { openIdentityStore } from '../base/storage/identity-store.ts';
import { readCertificates } from '../base/storage/text-files.ts';
import type { FleetIdentities } from '../provisioning/cleanup.ts';
import { openLedger } from '../provisioning/ledger.ts';
import type { ProvisionPorts } from '../provisioning/ledger-hosts.ts';
import { type Provisioned, type ProvisionOrder, provision } from '../provisioning/provision.ts';
import { createRateLimiter } from '../provisioning/rate-limiter.ts';
import type { AgentToProvision } from '../provisioning/requests.ts';
import { createHostServer } from '../provisioning/server.ts';
import { baseAt } from '../run/base-target.ts';
import { assertTargetAllowed } from '../run/guards.ts';
import { passwordsKey } from '../run/target.ts';
import { agentSettingsOf, isPullMode } from '../scenario/agents.ts';
import { cohortFactsOf } from '../scenario/cohort-members.ts';
import { addressOfAgent } from '../scenario/listen-range.ts';
import { DEFAULT_PROVISION, type Provision } from '../scenario/provision.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { QUERY, withoutUser } from '../scenario/server-urls.ts';
import { identityOf, renewedUuid } from '../wire/agent/identity.ts';
import type { HostFlags } from './flags/common.ts';
import { numberFrom, readFlag } from './flags/values.ts';

export function orderOf(
  scenario: Scenario,
  { services, ...place }: Provision,
  how: Pick<ProvisionOrder, 'unregisteredToo' | 'isOutdated'>,
): ProvisionOrder {
  return { agents: agentsOf(scenario), place, withServices: services, ...how };
}

function agentsOf(scenario: Scenario): readonly AgentToProvision[] {
  const { fleet, webServer } = scenario;
  const { profile, role } = cohortFactsOf(fleet);
  const settingsOf = agentSettingsOf(scenario);
  const isPull = isPullMode(scenario);
  return Array.from({ length: fleet.agents }, (_, agent) => {
    const { uuid, hostName, address } = identityOf(fleet.seed, agent);
    const listens = webServer && addressOfAgent(webServer.listen, agent);
    return {
      uuid,
      hostName,
      profile: profile(agent),
      role: role(agent),
      settings: settingsOf(agent),
      address: isPull ? (listens?.host ?? address) : address,
      listen: listens && addressText(listens),
    };
  });
}

/** The ledger beside the identities, which belong to the same fleet. */
export function ledgerOf(scenario: Scenario, cwd: string): string {
  return join(dirname(identitiesOf(scenario, cwd)), 'provisioned.db');
}

/** The file with the passwords of a fleet, and the UUIDs that have one for its target. */
export type Passwords = { readonly file: string; readonly uuids: ReadonlySet<string> };

export function passwordsOf(scenario: Scenario, cwd: string): Passwords {
  const file = identitiesOf(scenario, cwd);
  if (!existsSync(file)) return { file, uuids: new Set() };
  const store = openIdentityStore(file);
  try {
    return { file, uuids: new Set(Array.from(store.entries(passwordsKey(scenario.target)), ({ uuid }) => uuid)) };
  } finally {
    store.close();
  }
}

/** An agent renews its UUID a few times at most. */
const RENEWALS = Array.from({ length: 100 }, (_, index) => index + 1);

/** The identities of a fleet, renewed ones included: those that the fleet keeps, or else those that the seed determines. */
export function identitiesIn({ fleet: { seed, agents } }: Scenario, kept: ReadonlySet<string>): FleetIdentities {
  return {
    agents: Array.from({ length: agents }, (_, agent) => identityOf(seed, agent)),
    hadUuid: (agent, uuid) =>
      kept.has(uuid) || RENEWALS.some((renewal) => renewedUuid(seed, agent, { drawnFrom: 0, renewal }) === uuid),
  };
}

type Opening = {
  /** Absolute path of the ledger. */
  readonly ledger: string;
  readonly ratePerSecond: number;
  readonly signal: AbortSignal;
};

type OpenProvisioning = {
  readonly ports: Omit<ProvisionPorts, 'onProgress'>;
  /** The target without its secrets. */
  readonly url: string;
  readonly close: () => void;
};

/**
 * Checks the target, and opens the ledger and the client.
 * @throws UserError if the target is embedded, or the ledger cannot be opened.
 * @throws TargetNotAllowedError
 */
export async function openProvisioning(scenario: Scenario, opening: Opening): Promise<OpenProvisioning> {
  const { target } = scenario;
  if (target.url === 'embedded')
    throw new UserError(
      'target.url: expected a server that stays up after a run, found embedded: start one with muster serve --dialect shipped --assign manual, and pass --target.',
    );
  assertTargetAllowed(target);
  await baseAt(target.url, { ...target, proxy: undefined });
  const url = withoutUser(target.url).replace(QUERY, '').replace(/\/+$/, '');
  const clock = { nowMs: Date.now, pause: (durationMs: number) => pause(durationMs) };
  const { verify, caFile } = target.tls;
  const server = createHostServer({
    url,
    apiKey: target.apiKey,
    tls: { verify, ca: caFile === undefined ? undefined : await readCertificates(caFile) },
    awaitTurn: createRateLimiter(opening.ratePerSecond, clock),
    signal: opening.signal,
  });
  const ledger = openLedger(opening.ledger, url);
  return { ports: { ...clock, server, ledger, signal: opening.signal }, url, close: ledger.close };
}

export function provisionedText(done: Provisioned): string {
  const parts = [
    `${counted(done.hostsAdded, 'host')} added, ${done.hostsFound} found`,
    `${done.configured} configured`,
    `${done.assigned} assigned`,
    `${counted(done.servicesCreated, 'service')} created`,
  ];
  if (done.elsewhere > 0) parts.push(`${counted(done.elsewhere, 'agent')} left at hosts that are not Muster's`);
  return parts.join(', ');
}

/** Requests per second of a fleet that provisions itself. */
const OWN_RATE_PER_SECOND = 20;

/** A fleet in this process. */
export type RunningFleet = {
  /** The scenario that it has now. */
  readonly scenario: () => Scenario;
  readonly note: (text: string) => void;
  readonly cwd: string;
};

/** Provisions all registered agents of a running fleet that need it; `undefined` if its scenario does not want that now. */
export async function provisionRegistered(
  { scenario, note, cwd }: RunningFleet,
  isOutdated: () => boolean,
  signal: AbortSignal,
): Promise<Provisioned | undefined> {
  const current = scenario();
  const { provision: settings } = current.fleet;
  if (settings === undefined) return undefined;
  const opening = { ledger: ledgerOf(current, cwd), ratePerSecond: OWN_RATE_PER_SECOND, signal };
  const { ports, url, close } = await openProvisioning(current, opening);
  try {
    const order = orderOf(current, settings, { unregisteredToo: false, isOutdated });
    const done = await provision(order, { ...ports, onProgress: () => {} });
    if (done.hostsAdded + done.configured + done.assigned + done.servicesCreated > 0)
      note(`provisioned on ${url}: ${provisionedText(done)}`);
    return done;
  } finally {
    close();
  }
}

/** The settings of a scenario, unless flags replace them. */
export function hostPlaceOf(flags: HostFlags, written: Provision = DEFAULT_PROVISION): Provision {
  const groups = flags['host-group']?.map((text) => readFlag('host-group', { 'host-group': text }, numberFrom(1)));
  return {
    container: readFlag('container', flags, numberFrom(1)) ?? written.container,
    hostTemplate: readFlag('host-template', flags, numberFrom(1)) ?? written.hostTemplate,
    hostGroups: groups ?? written.hostGroups,
    tags: flags.tag?.slice() ?? written.tags,
    satellite: readFlag('satellite', flags, numberFrom(0)) ?? written.satellite,
    services: flags.services ?? written.services,
  };
}
