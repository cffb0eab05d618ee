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
import type { CtlCommand, CtlFlags } from '../commands/ctl.ts';
import { provisionCommand } from '../commands/fleets.ts';
import { type ControlClient, createControlClient } from '../ctl/client.ts';
import { doEvent, endNamedEvent, scaleFleet, showEvents } from '../ctl/events.ts';
import { exportText, withFingerprints } from '../ctl/export.ts';
import { type FleetChoice, findFleet } from '../ctl/find-fleet.ts';
import { assertMeant, type CtlRequest, show } from '../ctl/request.ts';
import { agentsText, agentText, appliedText, figuresText, fleetText } from '../ctl/texts.ts';
import { watchFleet } from '../ctl/watch.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { HOST_FLAG_NAMES } from '../flags/common.ts';
import { loadScenario, loadScenarioText, scenarioContext } from '../flags/load-scenarios.ts';
import { numberFrom, readFlag } from '../flags/values.ts';
import type { Io } from '../io.ts';
import { hostPlaceOf } from '../provisioning.ts';

type Action<Name extends CtlCommand> = (request: CtlRequest<CtlFlags<Name>>) => Promise<ExitCode> | Promise<void>;

const ACTIONS: { readonly [Name in CtlCommand]: Action<Name> } = {
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
  provision: provisionRunning,
  apply: applyScenario,
};

/** What a command does on a running fleet. It throws `UserError` if there is no fleet, or it rejects the command. */
export function actionOf(name: CtlCommand) {
  const action: (request: CtlRequest<never>) => Promise<ExitCode> | Promise<void> = ACTIONS[name];
  return async (flags: FleetChoice, io: Io): Promise<ExitCode> => {
    const access = await findFleet(flags, io);
    const client = createControlClient(access);
    return (await action({ access, client, flags: flags as never, io })) ?? EXIT_CODES.pass;
  };
}

async function showFleet(request: CtlRequest<CtlFlags<'fleet'>>): Promise<void> {
  show(await request.client.get<FleetAnswer>('/api/v1/fleet'), request, fleetText);
}

async function showScenario({ client, io }: CtlRequest<CtlFlags<'scenario'>>): Promise<void> {
  io.stdout.write(await client.text('/api/v1/scenario'));
}

async function showAgents(request: CtlRequest<CtlFlags<'agents'>>): Promise<void> {
  const { client, flags, io } = request;
  const { which: cohort = flags.cohort, health } = flags;
  const most = readFlag('limit', flags, numberFrom(1));
  const { agents, isAll } = await agentsIn(client, { cohort, health }, most);
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

async function showAgent(request: CtlRequest<CtlFlags<'agent'>>): Promise<void> {
  const { index } = request.flags;
  show(await request.client.get<AgentAnswer>(`/api/v1/agents/${encodeURIComponent(index)}`), request, agentText);
}

/** Reads the file on this machine, with its includes and variables, and sends the effective scenario to the fleet. */
async function applyScenario(request: CtlRequest<CtlFlags<'apply'>>): Promise<void> {
  const { client, flags, io } = request;
  const { file, 'dry-run': isDry } = flags;
  const { scenario } = await loadScenario(file, { set: flags.set }, io);
  const path = resolve(io.cwd, file);
  const body = { text: formatScenario(scenario), secrets: scenarioSecrets(scenario), file: path };
  const put = (query: string) => client.put<AppliedAnswer>(`/api/v1/scenario${query}`, body);
  if (!isDry) {
    const { agents, refused } = await put('?dryRun=true');
    const hit = { name: `apply ${file}`, agents: agents.changed.count + agents.gone.count };
    if (refused.length === 0) await assertMeant(hit, request);
  }
  const applied = await put(isDry ? '?dryRun=true' : '');
  show(applied, request, (answer) => appliedText(answer, { isDry, file: path }));
}

async function showFigures(request: CtlRequest<CtlFlags<'figures'>>): Promise<void> {
  const path = `/api/v1/figures?resolution=${request.flags.resolution}`;
  const answer = await request.client.get<{ rows: FiguresRow[] }>(path);
  show(answer, request, ({ rows }, columns) => figuresText(rows.slice(-MAX_ROWS), columns));
}

/** Limit for text; JSON contains all rows. */
const MAX_ROWS = 60;

async function exportFleet({ access, client, flags, io }: CtlRequest<CtlFlags<'export'>>): Promise<void> {
  const hostFlag = HOST_FLAG_NAMES.find((flag) => flags[flag] !== undefined);
  if (hostFlag !== undefined && flags.format !== 'openitcockpit')
    throw new UserError(`--${hostFlag}: expected with --format openitcockpit only, found another format; omit it.`);
  const { which: cohort = flags.cohort, json, format } = flags;
  const { agents } = await agentsIn(client, { cohort, health: undefined }, Number.POSITIVE_INFINITY);
  const scenario = parse(flags.format === 'openitcockpit' ? await client.text('/api/v1/scenario') : '{}');
  const place = { ...hostPlaceOf(flags, scenario.fleet?.provision), isPull: onlyListens(scenario) };
  io.stdout.write(exportText(withFingerprints(agents, access.identities), json ? 'json' : format, place));
}

/**
 * Provisions the agents of the fleet from this process, because the API gives nobody the key of the fleet.
 * @throws UserError if the fleet is on another machine, which has its ledger, or a variable of its secrets is missing.
 */
async function provisionRunning(request: CtlRequest<CtlFlags<'provision'>>): Promise<ExitCode> {
  const { access, client, flags, io } = request;
  if (access.identities === undefined)
    throw new UserError(
      'ctl provision: expected a fleet of this machine, where its ledger is, found one selected by URL; use muster provision there.',
    );
  const text = await client.text('/api/v1/scenario');
  const context = { ...(await scenarioContext({}, io)), settings: [] };
  const loaded = loadScenarioText({ file: 'the scenario of the fleet', text }, context, io);
  const { provisionScenario } = await import('./provision.ts');
  const how = { all: false, ledger: undefined };
  const { rate } = provisionCommand.flags;
  return await provisionScenario(loaded.scenario, { ...flags, ...how, rate: rate.default }, io);
}

/** Whether the effective scenario is one of agents in pull mode. */
function onlyListens({ webServer, phases = [] }: { readonly webServer?: object; readonly phases?: readonly object[] }) {
  return webServer !== undefined && phases.every((phase) => OPERATIONS.every((operation) => !(operation in phase)));
}
