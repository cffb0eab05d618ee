import { resolve } from 'node:path';
import { parse } from 'yaml';
import { UserError } from '../../base/kernel/errors.ts';
import { OPERATIONS } from '../../base/protocol/operations.ts';
import { formatScenario, scenarioSecrets } from '../../scenario/file.ts';
import type {
  AgentAnswer,
  AgentSummary,
  AppliedAnswer,
  FiguresRow,
  FleetAnswer,
} from '../../staging/control-api/schemas.ts';
import { provisionCommand } from '../commands/fleets.ts';
import { type ControlClient, createControlClient } from '../ctl/client.ts';
import { doEvent, endNamedEvent, scaleFleet, showEvents } from '../ctl/events.ts';
import { exportText, withFingerprints } from '../ctl/export.ts';
import { findFleet } from '../ctl/find-fleet.ts';
import { argumentOf, assertMeant, type CtlRequest, show } from '../ctl/request.ts';
import { agentsText, agentText, appliedText, figuresText, fleetText } from '../ctl/texts.ts';
import { watchFleet } from '../ctl/watch.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { HOST_FLAG_NAMES } from '../flags/common.ts';
import {
  type CommandInputs,
  CTL_FLAGS,
  CTL_INPUTS,
  type CtlCommand,
  type CtlFlag,
  type CtlFlags,
} from '../flags/ctl-flags.ts';
import { loadScenario, loadScenarioText, scenarioContext } from '../flags/load-scenarios.ts';
import { numberFrom, readFlag } from '../flags/values.ts';
import type { Io } from '../io.ts';
import { hostPlaceOf } from '../provisioning.ts';

type Action = (request: CtlRequest) => Promise<void>;

const ACTIONS = {
  fleet: showFleet,
  agents: showAgents,
  agent: showAgent,
  events: showEvents,
  do: doEvent,
  end: endNamedEvent,
  scale: scaleFleet,
  watch: watchFleet,
  figures: showFigures,
  scenario: showScenario,
  export: exportFleet,
  apply: applyScenario,
} satisfies Record<Exclude<CtlCommand, 'provision'>, Action>;

/**
 * Runs one command on a running fleet.
 * @throws UserError if the command does not take what it was given, there is no fleet, or the fleet rejects the command.
 */
export async function controlFleet(flags: CtlFlags, io: Io): Promise<ExitCode> {
  assertInputs(flags);
  const access = await findFleet(flags, io);
  const request = { access, client: createControlClient(access), flags, io };
  if (flags.what === 'provision') return await provisionRunning(request);
  await ACTIONS[flags.what](request);
  return EXIT_CODES.pass;
}

const CHOOSING = ['url', 'scenario', 'data'] as const;

/** @throws UserError if the command does not use its argument or a flag. */
function assertInputs(flags: CtlFlags): void {
  const { what, of } = flags;
  const { of: argument, flags: own }: CommandInputs = CTL_INPUTS[what];
  const isGiven = (flag: CtlFlag): boolean => flags[flag] !== undefined;
  const [chosen, another] = CHOOSING.filter(isGiven);
  if (another !== undefined)
    throw new UserError(
      `--${another}: expected one flag that selects the fleet, found --${chosen}, too; omit one of them.`,
    );
  if (argument === 'none' && of !== undefined)
    throw new UserError(`ctl ${what}: expected no argument, found ${JSON.stringify(of)}.`);
  const accepted: readonly CtlFlag[] = [...own, ...CHOOSING];
  const strange = (Object.keys(CTL_FLAGS) as CtlFlag[]).find((flag) => isGiven(flag) && !accepted.includes(flag));
  if (strange !== undefined)
    throw new UserError(
      `ctl ${what} takes no --${strange}: expected ${accepted.map((flag) => `--${flag}`).join(', ')} only${HINTS[what] ?? ''}.`,
    );
  if (of !== undefined && own.includes('cohort') && flags.cohort !== undefined && what !== 'do')
    throw new UserError(`ctl ${what}: expected one cohort, found an argument and --cohort; omit one of them.`);
  const hostFlag = HOST_FLAG_NAMES.find(isGiven);
  if (what === 'export' && hostFlag !== undefined && flags.format !== 'openitcockpit')
    throw new UserError(`--${hostFlag}: expected with --format openitcockpit only, found another format; omit it.`);
}

const HINTS: Readonly<Partial<Record<CtlCommand, string>>> = {
  scale: '; to scale a part of the fleet, or for a time, use muster ctl do scale -s to=0.5',
};

async function showFleet(request: CtlRequest): Promise<void> {
  show(await request.client.get<FleetAnswer>('/api/v1/fleet'), request, fleetText);
}

async function showScenario({ client, io }: CtlRequest): Promise<void> {
  io.stdout.write(await client.text('/api/v1/scenario'));
}

async function showAgents(request: CtlRequest): Promise<void> {
  const { flags, client, io } = request;
  const most = readFlag('limit', flags, numberFrom(1)) ?? 100;
  const { agents, isAll } = await agentsIn(client, { cohort: flags.of ?? flags.cohort, health: flags.health }, most);
  show({ agents }, request, (found, columns) =>
    agents.length === 0 ? 'No agents match.' : agentsText(found.agents, columns),
  );
  if (!isAll) io.stderr.write(`More agents match than --limit ${most}: raise it to list them.\n`);
}

const PAGE = 1000;

type AgentChoice = { readonly cohort: string | undefined; readonly health: string | undefined };

async function agentsIn(client: ControlClient, { cohort, health }: AgentChoice, most: number) {
  const agents: AgentSummary[] = [];
  for (let cursor: string | null = '0'; cursor !== null; ) {
    if (agents.length >= most) return { agents, isAll: false };
    const limit = String(Math.min(PAGE, most - agents.length));
    const chosen = { ...(cohort !== undefined && { cohort }), ...(health !== undefined && { health }) };
    const query = new URLSearchParams({ cursor, limit, ...chosen });
    const page: { agents: AgentSummary[]; next: string | null } = await client.get(`/api/v1/agents?${query}`);
    agents.push(...page.agents);
    cursor = page.next;
  }
  return { agents, isAll: true };
}

async function showAgent(request: CtlRequest): Promise<void> {
  const index = argumentOf(request, 'the index of an agent, such as muster ctl agent 7');
  show(await request.client.get<AgentAnswer>(`/api/v1/agents/${encodeURIComponent(index)}`), request, agentText);
}

/** Reads the file on this machine, with its includes and variables, and sends the effective scenario to the fleet. */
async function applyScenario(request: CtlRequest): Promise<void> {
  const { client, flags, io } = request;
  const file = argumentOf(request, 'the edited scenario file, such as muster ctl apply staging.yaml');
  const { scenario } = await loadScenario(file, { set: flags.set }, io);
  const path = resolve(io.cwd, file);
  const isDry = flags['dry-run'] === true;
  const body = { text: formatScenario(scenario), secrets: scenarioSecrets(scenario), file: path };
  const put = (query: string) => client.put<AppliedAnswer>(`/api/v1/scenario${query}`, body);
  if (!isDry) {
    const { agents, refused } = await put('?dryRun=true');
    if (refused.length === 0) await assertMeant(`apply ${file}`, agents.changed.count + agents.gone.count, request);
  }
  const applied = await put(isDry ? '?dryRun=true' : '');
  show(applied, request, (answer) => appliedText(answer, { isDry, file: path }));
}

async function showFigures(request: CtlRequest): Promise<void> {
  const { resolution = 'minute' } = request.flags;
  const answer = await request.client.get<{ rows: FiguresRow[] }>(
    `/api/v1/figures?resolution=${encodeURIComponent(resolution)}`,
  );
  show(answer, request, ({ rows }, columns) => figuresText(rows.slice(-MAX_ROWS), columns));
}

/** Limit for text; JSON contains all rows. */
const MAX_ROWS = 60;

async function exportFleet({ access, client, flags, io }: CtlRequest): Promise<void> {
  const choice = { cohort: flags.of ?? flags.cohort, health: undefined };
  const { agents } = await agentsIn(client, choice, Number.POSITIVE_INFINITY);
  const scenario = parse(flags.format === 'openitcockpit' ? await client.text('/api/v1/scenario') : '{}');
  const place = { ...hostPlaceOf(flags, scenario.fleet?.provision), isPull: onlyListens(scenario) };
  io.stdout.write(
    exportText(withFingerprints(agents, access.identities), flags.json ? 'json' : (flags.format ?? 'csv'), place),
  );
}

/**
 * Provisions the agents of the fleet from this process, because the API gives nobody the key of the fleet.
 * @throws UserError if the fleet is on another machine, which has its ledger, or a variable of its secrets is missing.
 */
async function provisionRunning({ access, client, flags, io }: CtlRequest): Promise<ExitCode> {
  if (access.identities === undefined)
    throw new UserError(
      'ctl provision: expected a fleet of this machine, where its ledger is, found one selected by URL; use muster provision there.',
    );
  const text = await client.text('/api/v1/scenario');
  const context = { ...(await scenarioContext({}, io)), settings: [] };
  const loaded = loadScenarioText({ file: 'the scenario of the fleet', text }, context, io);
  const { provisionScenario } = await import('./provision.ts');
  const how = { all: false, 'dry-run': flags['dry-run'] === true, ledger: undefined };
  const { rate } = provisionCommand.flags;
  return await provisionScenario(loaded.scenario, { ...flags, ...how, rate: rate.default }, io);
}

/** Whether the effective scenario is one of agents in pull mode. */
function onlyListens({ webServer, phases = [] }: { readonly webServer?: object; readonly phases?: readonly object[] }) {
  return webServer !== undefined && phases.every((phase) => OPERATIONS.every((operation) => !(operation in phase)));
}
