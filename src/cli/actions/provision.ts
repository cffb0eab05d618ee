import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { UserError } from '../../ground/kernel/errors.ts';
import { counted } from '../../ground/kernel/units.ts';
import { identitiesIn } from '../../ground/storage/control-file.ts';
import { readCertificates } from '../../ground/storage/text-files.ts';
import { type CleanupPlan, cleanUp, planCleanup, removalsOf } from '../../provisioning/cleanup.ts';
import { type Ledger, openLedger } from '../../provisioning/ledger.ts';
import { type Failure, type Provisioned, type ProvisionOrder, provision } from '../../provisioning/provision.ts';
import type { AgentToProvision, ChangeRequest } from '../../provisioning/requests.ts';
import { createHostServer, type HostServer } from '../../provisioning/server.ts';
import { createTurns, type ProvisionPorts } from '../../provisioning/turns.ts';
import { baseAt } from '../../run/base-target.ts';
import { assertTargetAllowed } from '../../run/guards.ts';
import { agentSettingsOf, cohortFactsOf, isPullMode } from '../../scenario/agents.ts';
import { QUERY, withoutUser } from '../../scenario/base-urls.ts';
import { addressOfAgent, writtenAddress } from '../../scenario/listen-range.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { identityOf } from '../../wire/agent/identity.ts';
import { confirm } from '../confirm.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { onlyOne } from '../flags/common.ts';
import { loadScenario, scenarioContext } from '../flags/load-scenarios.ts';
import type { CleanupFlags, ProvisionFlags } from '../flags/provision.ts';
import type { Io } from '../io.ts';

/** Gives the agents of a scenario hosts on its target. */
export async function provisionFleet(flags: ProvisionFlags, io: Io): Promise<ExitCode> {
  const scenario = await loadScenario(flags.scenario, await scenarioContext(flags, io), io);
  const order: ProvisionOrder = {
    agents: agentsOf(scenario),
    place: {
      container: wholeNumber('container', flags.container, 1),
      hostTemplate: wholeNumber('host-template', flags['host-template'], 1),
      hostGroups: (flags['host-group'] ?? []).map((text) => wholeNumber('host-group', text, 1)),
      tags: flags.tag ?? [],
      satellite: wholeNumber('satellite', flags.satellite, 0),
    },
    withServices: flags.services,
    unregisteredToo: flags.all,
  };
  return withPorts(scenario, flags, io, async (ports, url) => {
    const done = await provision(order, ports);
    io.stderr.write(`${flags['dry-run'] ? 'Would be done' : 'Done'} on ${url}: ${provisionedText(done)}.\n`);
    reportFailures(done.failures, io);
    if (done.unregistered > 0) io.stderr.write(`${unregisteredText(done.unregistered)}\n`);
    return exitCodeOf(done);
  });
}

/** Removes what the server has of a scenario's fleet. */
export async function cleanUpFleet(flags: CleanupFlags, io: Io): Promise<ExitCode> {
  const scenario = await loadScenario(flags.scenario, await scenarioContext(flags, io), io);
  const { seed, agents } = scenario.fleet;
  const fleet = Array.from({ length: agents }, (_, agent) => identityOf(seed, agent));
  return withPorts(scenario, flags, io, async (ports, url) => {
    const plan = await planCleanup(fleet, ports);
    if (flags['dry-run']) {
      for (const { request } of removalsOf(plan)) io.stdout.write(requestLine(request));
      reportFailures(plan.left, io);
      return EXIT_CODES.pass;
    }
    if (!flags.yes) await assertMeant(plan, url, io);
    const done = await cleanUp(plan, ports);
    io.stderr.write(`Removed from ${url}: ${removedText(done.hosts, done.pushAgents)}.\n`);
    reportFailures(done.failures, io);
    return exitCodeOf(done);
  });
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
      ...{ uuid, hostName, profile: profile(agent), role: role(agent), settings: settingsOf(agent) },
      address: isPull ? (listens?.host ?? address) : address,
      listen: listens && writtenAddress(listens),
    };
  });
}

type SharedFlags = Pick<ProvisionFlags, 'rate' | 'ledger' | 'dry-run'>;

/** Checks the target, opens the ledger and the client, and closes the ledger afterwards. */
async function withPorts(
  scenario: Scenario,
  flags: SharedFlags,
  io: Io,
  act: (ports: ProvisionPorts, shownTarget: string) => Promise<ExitCode>,
): Promise<ExitCode> {
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
    ...{ url, apiKey: target.apiKey },
    tls: { verify, ca: caFile === undefined ? undefined : await readCertificates(caFile) },
    turn: createTurns(wholeNumber('rate', flags.rate, 1), clock),
  });
  const file = onlyOne('ledger', flags.ledger);
  const ledger = openLedger(file === undefined ? ledgerOf(scenario, io) : resolve(io.cwd, file), url);
  const stopping = new AbortController();
  const unsubscribe = io.onInterrupt(() => stopping.abort());
  const progress = createProgressLines(io);
  const ports = { ...clock, server, ledger, signal: stopping.signal, onProgress: progress };
  try {
    return await act(flags['dry-run'] ? dryPorts(ports, io) : ports, url);
  } finally {
    unsubscribe();
    ledger.close();
  }
}

/** Beside the identities, which belong to the same fleet. */
function ledgerOf({ name, fleet: { identities } }: Scenario, { cwd }: Io): string {
  return join(dirname(identities.kind === 'file' ? identities.path : identitiesIn(cwd, name)), 'provisioned.db');
}

/** Prints each change instead of sending it, and keeps the ledger as it is. */
function dryPorts(ports: ProvisionPorts, io: Io): ProvisionPorts {
  const server: HostServer = {
    ...ports.server,
    change: async (request) => {
      io.stdout.write(requestLine(request));
      return { kind: 'done', answer: { id: NEW_ID } };
    },
    offeredServices: async (hostId) => (hostId === NEW_ID ? [] : ports.server.offeredServices(hostId)),
  };
  const ledger: Ledger = { ...ports.ledger, write: () => {}, remove: () => {} };
  return { ...ports, server, ledger, onProgress: () => {} };
}

/** Stands for the ID that the server will give a new host. */
const NEW_ID = 0;

function requestLine({ path, body }: ChangeRequest): string {
  const text = JSON.stringify(body, (key, value: unknown) => (key === 'password' && value !== '' ? '…' : value));
  return `POST ${path} ${text}\n`;
}

const PROGRESS_EVERY_MS = 5000;

function createProgressLines({ stderr }: Io): ProvisionPorts['onProgress'] {
  let shownMs = Date.now();
  return (finished, all) => {
    if (Date.now() < shownMs + PROGRESS_EVERY_MS) return;
    shownMs = Date.now();
    stderr.write(`${finished} of ${all} done\n`);
  };
}

async function assertMeant({ hosts, pushAgents }: CleanupPlan, url: string, io: Io): Promise<void> {
  const what = `${removedText(hosts.length, pushAgents.length)} from ${url}`;
  if (hosts.length + pushAgents.length === 0) return;
  const answer = await confirm(`This removes ${what}. Continue?`, io);
  if (answer === 'nobody') throw new UserError(`This would remove ${what}: expected --yes, found none.`);
  if (answer === 'no') throw new UserError('Nothing was removed.');
}

function removedText(hosts: number, pushAgents: number): string {
  return `${counted(hosts, 'host')} with their services, ${counted(pushAgents, 'registration')}`;
}

function provisionedText(done: Provisioned): string {
  const parts = [
    `${counted(done.hostsAdded, 'host')} added, ${done.hostsFound} found`,
    `${done.configured} configured`,
    `${done.assigned} assigned`,
    `${counted(done.servicesCreated, 'service')} created`,
  ];
  if (done.elsewhere > 0) parts.push(`${counted(done.elsewhere, 'agent')} left at hosts that are not Muster's`);
  return parts.join(', ');
}

function unregisteredText(count: number): string {
  const agents = counted(count, 'agent');
  return `! ${agents} not registered and so not assigned: run the fleet, then repeat this command`;
}

const MOST_SHOWN = 10;

function reportFailures(failures: readonly Failure[], { stderr }: Io): void {
  for (const { hostName, reason } of failures.slice(0, MOST_SHOWN)) stderr.write(`! ${hostName}: ${reason}\n`);
  if (failures.length > MOST_SHOWN) stderr.write(`! and ${failures.length - MOST_SHOWN} more\n`);
}

function exitCodeOf(done: { readonly isInterrupted: boolean; readonly failures: readonly Failure[] }): ExitCode {
  if (done.isInterrupted) return EXIT_CODES.interrupted;
  return done.failures.length > 0 ? EXIT_CODES.incomplete : EXIT_CODES.pass;
}

function wholeNumber(flag: string, given: string, least: number): number {
  const text = onlyOne(flag, given);
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  throw new UserError(`--${flag}: expected a whole number of at least ${least}, found ${JSON.stringify(text)}`);
}
