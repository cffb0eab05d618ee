import { resolve } from 'node:path';
import { UserError } from '../../base/kernel/errors.ts';
import { counted } from '../../base/kernel/units.ts';
import { type CleanedUp, type CleanupPlan, cleanUp, planCleanup } from '../../provisioning/cleanup.ts';
import type { Ledger } from '../../provisioning/ledger.ts';
import type { ProvisionPorts } from '../../provisioning/ledger-hosts.ts';
import { type Failure, provision } from '../../provisioning/provision.ts';
import type { ChangeRequest } from '../../provisioning/requests.ts';
import type { HostServer } from '../../provisioning/server.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { CleanupFlags, ProvisionFlags } from '../commands/fleets.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import type { HostFlags } from '../flags/common.ts';
import { loadScenario } from '../flags/load-scenarios.ts';
import { numberFrom, readFlag } from '../flags/values.ts';
import { confirm, type Io } from '../io.ts';
import {
  hostPlaceOf,
  identitiesIn,
  ledgerOf,
  openProvisioning,
  orderOf,
  type Passwords,
  passwordsOf,
  provisionedText,
} from '../provisioning.ts';

/** Gives the agents of a scenario hosts on its target. */
export async function provisionFleet(flags: ProvisionFlags, io: Io): Promise<ExitCode> {
  const { scenario } = await loadScenario(flags.scenario, flags, io);
  return provisionScenario(scenario, flags, io);
}

/** Flags that say how to provision a scenario that was read. */
type ProvisioningFlags = HostFlags & SharedFlags & Pick<ProvisionFlags, 'all'>;

/** Provisions the agents of a scenario, with the settings of its `fleet.provision` that no flag replaces. */
export async function provisionScenario(scenario: Scenario, flags: ProvisioningFlags, io: Io): Promise<ExitCode> {
  const how = { unregisteredToo: flags.all, isOutdated: () => false };
  const order = orderOf(scenario, hostPlaceOf(flags, scenario.fleet.provision), how);
  return withPorts(scenario, flags, io, async (ports, url) => {
    const done = await provision(order, ports);
    io.stderr.write(`${flags['dry-run'] ? 'Would be done' : 'Done'} on ${url}: ${provisionedText(done)}.\n`);
    for (const line of unregisteredLines(done.unregistered, passwordsOf(scenario, io.cwd)))
      io.stderr.write(`! ${line}\n`);
    return exitCodeAfter(done, io);
  });
}

/** Removes what the server has of a scenario's fleet. */
export async function cleanUpFleet(flags: CleanupFlags, io: Io): Promise<ExitCode> {
  const { scenario } = await loadScenario(flags.scenario, flags, io);
  const passwords = passwordsOf(scenario, io.cwd);
  return withPorts(scenario, flags, io, async (ports, url) => {
    const plan = await planCleanup(identitiesIn(scenario, passwords.uuids), ports);
    if (flags['dry-run']) {
      for (const { request } of plan.removals) io.stdout.write(requestLine(request));
      reportFailures(plan.left, io);
      return EXIT_CODES.pass;
    }
    if (!flags.yes) await assertMeant(plan, url, io);
    const done = await cleanUp(plan, ports);
    io.stderr.write(`Removed from ${url}: ${removedText(done.hosts, done.pushAgents)}.\n`);
    const others = ports.ledger.otherTargets();
    if (others.length > 0) io.stderr.write(`! the ledger also names hosts at ${others.join(', ')}\n`);
    const isForgotten = done.pushAgents > 0 || (done.hosts > 0 && done.failures.length === 0);
    if (isForgotten && passwords.uuids.size > 0) io.stderr.write(`${forgottenText(passwords.file)}\n`);
    return exitCodeAfter(done, io);
  });
}

/** What a fleet must do whose registrations were removed. */
function forgottenText(file: string): string {
  return `The server has forgotten the passwords in ${file}: before the next run, remove that file, or use muster ctl do register-again while the fleet runs.`;
}

type SharedFlags = Pick<ProvisionFlags, 'rate' | 'ledger' | 'dry-run'>;

/** Checks the target, opens the ledger and the client, and closes the ledger afterwards. */
async function withPorts(
  scenario: Scenario,
  flags: SharedFlags,
  io: Io,
  act: (ports: ProvisionPorts, displayTarget: string) => Promise<ExitCode>,
): Promise<ExitCode> {
  const stopping = new AbortController();
  const opened = await openProvisioning(scenario, {
    ledger: flags.ledger === undefined ? ledgerOf(scenario, io.cwd) : resolve(io.cwd, flags.ledger),
    ratePerSecond: readFlag('rate', flags, numberFrom(1)),
    signal: stopping.signal,
  });
  const unsubscribe = io.onInterrupt(() => stopping.abort());
  const progress = createProgressLines(io);
  const ports = { ...opened.ports, onProgress: progress };
  try {
    return await act(flags['dry-run'] ? dryPorts(ports, io) : ports, opened.url);
  } finally {
    unsubscribe();
    opened.close();
  }
}

/** Prints each change instead of sending it, and keeps the ledger as it is. */
function dryPorts(ports: ProvisionPorts, io: Io): ProvisionPorts {
  const server: HostServer = {
    ...ports.server,
    change: async (request) => {
      io.stdout.write(requestLine(request));
      return { kind: 'done', answer: { id: NEW_ID } };
    },
    host: async (id) =>
      id === NEW_ID ? { id, name: '', mark: undefined, access: 'edit' } : await ports.server.host(id),
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
  let printedMs = Date.now();
  return (finished, all) => {
    if (Date.now() < printedMs + PROGRESS_EVERY_MS) return;
    printedMs = Date.now();
    stderr.write(`${finished} of ${all} done\n`);
  };
}

async function assertMeant({ removals }: CleanupPlan, url: string, io: Io): Promise<void> {
  const hosts = removals.filter(({ what }) => what === 'host').length;
  const what = `${removedText(hosts, removals.length - hosts)} from ${url}`;
  if (removals.length === 0) return;
  const answer = await confirm(`This removes ${what}. Continue?`, io);
  if (answer === 'nobody') throw new UserError(`This would remove ${what}: expected --yes, found none.`);
  if (answer === 'no') throw new UserError('Nothing was removed.');
}

function removedText(hosts: number, pushAgents: number): string {
  return `${counted(hosts, 'host')} with their services, ${counted(pushAgents, 'registration')}`;
}

function unregisteredLines(uuids: readonly string[], { file, uuids: stored }: Passwords): readonly string[] {
  const forgotten = uuids.filter((uuid) => stored.has(uuid)).length;
  const never = uuids.length - forgotten;
  return [
    never > 0 &&
      `${counted(never, 'agent')} not registered and so not assigned: run the fleet, then repeat this command`,
    forgotten > 0 && `${counted(forgotten, 'agent')} registered before, but not assigned. ${forgottenText(file)}`,
  ].filter((line) => line !== false);
}

const MAX_SHOWN = 10;

function reportFailures(failures: readonly Failure[], { stderr }: Io): void {
  for (const { hostName, reason } of failures.slice(0, MAX_SHOWN)) stderr.write(`! ${hostName}: ${reason}\n`);
  if (failures.length > MAX_SHOWN) stderr.write(`! and ${failures.length - MAX_SHOWN} more\n`);
}

function exitCodeAfter({ failures, isInterrupted }: Pick<CleanedUp, 'failures' | 'isInterrupted'>, io: Io): ExitCode {
  reportFailures(failures, io);
  if (!isInterrupted) return failures.length > 0 ? EXIT_CODES.incomplete : EXIT_CODES.pass;
  io.stderr.write('! interrupted: repeat the command for the rest\n');
  return EXIT_CODES.interrupted;
}
