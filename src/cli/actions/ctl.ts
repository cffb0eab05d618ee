import { resolve } from 'node:path';
import { parse } from 'yaml';
import { UserError } from '../../base/kernel/errors.ts';
import { counted } from '../../base/kernel/units.ts';
import { OPERATIONS } from '../../base/protocol/operations.ts';
import { pauseUntil } from '../../base/runtime/event-loop.ts';
import { formatScenario, scenarioSecrets } from '../../scenario/file.ts';
import type {
  AgentAnswer,
  AgentSummary,
  AppliedAnswer,
  DoneAnswer,
  EventAnswer,
  FiguresRow,
  FleetAnswer,
} from '../../staging/control-api/schemas.ts';
import { provisionCommand } from '../commands/fleets.ts';
import { type ControlClient, createControlClient, type ServerEvent } from '../ctl/client.ts';
import { exported, withFingerprints } from '../ctl/export.ts';
import { type FleetAccess, findFleet } from '../ctl/find-fleet.ts';
import {
  agentsText,
  agentText,
  appliedText,
  doneText,
  eventsText,
  figuresText,
  fleetText,
  secondText,
} from '../ctl/texts.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { type CommandInputs, CTL_FLAGS, type CtlFlag, type CtlFlags, type CtlWhat, TAKEN } from '../flags/ctl-flags.ts';
import { loadScenario, loadScenarioText, scenarioContext } from '../flags/load-scenarios.ts';
import { PLACE_NAMES } from '../flags/place-flags.ts';
import { numberFrom, readFlag } from '../flags/values.ts';
import type { Io } from '../io.ts';
import { confirm } from '../io.ts';
import { hostPlaceOf } from '../provisioning.ts';

const ENTRY_FLAGS = ['cohort', 'at', 'for', 'over', 'name', 'sticky'] as const;

type CtlRequest = {
  readonly access: FleetAccess;
  readonly client: ControlClient;
  readonly flags: CtlFlags;
  readonly io: Io;
};
type Action = (asked: CtlRequest) => Promise<void>;

const ACTIONS = {
  fleet: showFleet,
  agents: showAgents,
  agent: showAgent,
  events: showEvents,
  do: doEvent,
  end: endEvent,
  scale: scaleFleet,
  watch: watchFleet,
  figures: showFigures,
  scenario: showScenario,
  export: exportFleet,
  apply: applyScenario,
} satisfies Record<Exclude<CtlWhat, 'provision'>, Action>;

/**
 * Runs one command on a running fleet.
 * @throws UserError if the command does not take what it was given, there is no fleet, or the fleet rejects the command.
 */
export async function controlFleet(flags: CtlFlags, io: Io): Promise<ExitCode> {
  assertTaken(flags);
  const access = await findFleet(flags, io);
  const asked = { access, client: createControlClient(access), flags, io };
  if (flags.what === 'provision') return await provisionRunning(asked);
  await ACTIONS[flags.what](asked);
  return EXIT_CODES.pass;
}

const CHOOSING = ['url', 'scenario', 'data'] as const;

/** @throws UserError if the command does not use its argument or a flag. */
function assertTaken(flags: CtlFlags): void {
  const { what, of } = flags;
  const { of: argument, flags: own }: CommandInputs = TAKEN[what];
  const isGiven = (flag: CtlFlag): boolean => flags[flag] !== undefined;
  const [chosen, another] = CHOOSING.filter(isGiven);
  if (another !== undefined)
    throw new UserError(
      `--${another}: expected one flag that selects the fleet, found --${chosen}, too; omit one of them.`,
    );
  if (argument === 'none' && of !== undefined)
    throw new UserError(`ctl ${what}: expected no argument, found ${JSON.stringify(of)}.`);
  const taken: readonly CtlFlag[] = [...own, ...CHOOSING];
  const strange = (Object.keys(CTL_FLAGS) as CtlFlag[]).find((flag) => isGiven(flag) && !taken.includes(flag));
  if (strange !== undefined)
    throw new UserError(
      `ctl ${what} takes no --${strange}: expected ${taken.map((flag) => `--${flag}`).join(', ')} only${HINTS[what] ?? ''}.`,
    );
  if (of !== undefined && own.includes('cohort') && flags.cohort !== undefined && what !== 'do')
    throw new UserError(`ctl ${what}: expected one cohort, found an argument and --cohort; omit one of them.`);
  const place = PLACE_NAMES.find(isGiven);
  if (what === 'export' && place !== undefined && flags.format !== 'openitcockpit')
    throw new UserError(`--${place}: expected with --format openitcockpit only, found another format; omit it.`);
}

const HINTS: Readonly<Partial<Record<CtlWhat, string>>> = {
  scale: '; to scale a part of the fleet, or for a time, use muster ctl do scale -s to=0.5',
};

/** Prints an answer as JSON or as text. */
function show<T>(answer: T, { flags, io }: CtlRequest, textOf: (answer: T, columns: number) => string): void {
  const text = flags.json ? JSON.stringify(answer) : textOf(answer, io.stdout.columns ?? Number.POSITIVE_INFINITY);
  io.stdout.write(`${text}\n`);
}

async function showFleet(asked: CtlRequest): Promise<void> {
  show(await asked.client.get<FleetAnswer>('/api/v1/fleet'), asked, fleetText);
}

async function showScenario({ client, io }: CtlRequest): Promise<void> {
  io.stdout.write(await client.text('/api/v1/scenario'));
}

async function showAgents(asked: CtlRequest): Promise<void> {
  const { flags, client, io } = asked;
  const most = readFlag('limit', flags, numberFrom(1)) ?? 100;
  const { agents, isAll } = await agentsIn(client, { cohort: flags.of ?? flags.cohort, health: flags.health }, most);
  show({ agents }, asked, (found, columns) =>
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

async function showAgent(asked: CtlRequest): Promise<void> {
  const index = wanted(asked, 'the index of an agent, such as muster ctl agent 7');
  show(await asked.client.get<AgentAnswer>(`/api/v1/agents/${encodeURIComponent(index)}`), asked, agentText);
}

async function showEvents(asked: CtlRequest): Promise<void> {
  const answer = await asked.client.get<{ events: EventAnswer[] }>('/api/v1/events');
  show(answer, asked, ({ events }, columns) => eventsText(events, columns));
}

/** Reads the file on this machine, with its includes and variables, and sends the effective scenario to the fleet. */
async function applyScenario(asked: CtlRequest): Promise<void> {
  const { client, flags, io } = asked;
  const file = wanted(asked, 'the edited scenario file, such as muster ctl apply staging.yaml');
  const { scenario } = await loadScenario(file, { set: flags.set }, io);
  const path = resolve(io.cwd, file);
  const isDry = flags['dry-run'] === true;
  const body = { text: formatScenario(scenario), secrets: scenarioSecrets(scenario), file: path };
  const put = (query: string) => client.put<AppliedAnswer>(`/api/v1/scenario${query}`, body);
  if (!isDry) {
    const { agents, refused } = await put('?dryRun=true');
    if (refused.length === 0) await assertMeant(`apply ${file}`, agents.changed.count + agents.gone.count, asked);
  }
  const applied = await put(isDry ? '?dryRun=true' : '');
  show(applied, asked, (answer) => appliedText(answer, { isDry, file: path }));
}

async function doEvent(asked: CtlRequest): Promise<void> {
  const { flags } = asked;
  const kind = wanted(asked, 'an event kind, such as muster ctl do restart --cohort 10%');
  const given = ENTRY_FLAGS.flatMap((flag) => (flags[flag] === undefined ? [] : [[flag, flags[flag]] as const]));
  const entry = { do: kind, ...Object.fromEntries(given), ...settingsOf(flags.set ?? []) };
  if (flags['dry-run'] !== true && !saysHowMany(flags.cohort)) {
    const { event, hits } = await asked.client.post<DoneAnswer>('/api/v1/events?dryRun=true', entry);
    await assertMeant(event.name, hits.count, asked);
  }
  await add(entry, asked);
}

/** Whether the cohort was chosen by its size. */
function saysHowMany(cohort: string | undefined): boolean {
  return cohort !== undefined && /^(all|\d+(\.\d+)?%)$/.test(cohort.trim());
}

/**
 * Asks before an action on more than half of the fleet.
 * @throws UserError if the answer is no, or nobody can be asked.
 */
async function assertMeant(action: string, agents: number, { client, flags, io }: CtlRequest): Promise<void> {
  if (flags.yes) return;
  const { total } = (await client.get<FleetAnswer>('/api/v1/fleet')).agents;
  if (agents * 2 <= total) return;
  const said = `${action} hits ${agents} of ${counted(total, 'agent')}, more than half of the fleet`;
  const answer = await confirm(`${said}. Continue?`, io);
  if (answer === 'yes') return;
  if (answer === 'no') throw new UserError('Nothing was done.');
  throw new UserError(`${said}: ${REMEDIES[flags.what] ?? 'expected --yes, found none'}.`);
}

const REMEDIES: Readonly<Partial<Record<CtlWhat, string>>> = {
  do: 'expected --cohort all, a share, or --yes, found none of them',
  scale: 'expected a share such as 10%, or --yes, found a number of agents',
};

async function add(entry: object, asked: CtlRequest): Promise<void> {
  const isDry = asked.flags['dry-run'] === true;
  const done = await asked.client.post<DoneAnswer>(`/api/v1/events${isDry ? '?dryRun=true' : ''}`, entry);
  show(done, asked, (answer) => doneText(answer, isDry));
}

/** Parses `how=slow` and `repeat.every=5m`. Throws `UserError` for any other form. */
function settingsOf(texts: readonly string[]): object {
  const settings: Record<string, unknown> = {};
  for (const text of texts) {
    const [, path = '', value = ''] = /^([A-Za-z.]+)=(.*)$/s.exec(text) ?? [];
    const [key = '', inner, ...deeper] = path.split('.');
    if (key === '' || inner === '' || deeper.length > 0)
      throw new UserError(
        `--set: expected key=value such as version=3.4.0 or repeat.every=5m, found ${JSON.stringify(text)}`,
      );
    const read: unknown = parse(value);
    settings[key] = inner === undefined ? read : { ...(settings[key] as object | undefined), [inner]: read };
  }
  return settings;
}

async function endEvent(asked: CtlRequest): Promise<void> {
  const name = wanted(asked, 'the name of an event from muster ctl events');
  const isDry = asked.flags['dry-run'] === true;
  const ended = await asked.client.end<{ name: string; at: string | null; count: number }>(
    `/api/v1/events/${encodeURIComponent(name)}${isDry ? '?dryRun=true' : ''}`,
  );
  const said = isDry ? 'would end; it is' : 'ended; it was';
  show(ended, asked, ({ count }) => `${name} ${said} in progress for ${counted(count, 'agent')}`);
}

/** Only the latest `scale` of the whole fleet applies: earlier ones are ended. */
async function scaleFleet(asked: CtlRequest): Promise<void> {
  const { client, flags } = asked;
  const { over } = flags;
  const { share, isShare } = await shareWanted(asked);
  const { events } = await client.get<{ events: EventAnswer[] }>('/api/v1/events');
  const before = events.filter((event) => event.do === 'scale' && event.cohort === '100%' && event.status !== 'over');
  const entry = { do: 'scale', to: share, ...(over !== undefined && { over }) };
  if (!flags['dry-run'] && !isShare) {
    const { hits } = await client.post<DoneAnswer>('/api/v1/events?dryRun=true', entry);
    await assertMeant(`scale ${flags.of}`, hits.count - (await stoppedBy(before, asked)), asked);
  }
  await add(entry, asked);
  if (flags['dry-run']) return;
  for (const { name } of before) await client.end(`/api/v1/events/${encodeURIComponent(name)}`);
}

/** Number of agents that the latest of these events keeps down; a smaller share is part of a larger one. */
async function stoppedBy(scalings: readonly EventAnswer[], { client }: CtlRequest): Promise<number> {
  const latest = scalings.findLast(({ status }) => status === 'under-way');
  if (latest === undefined) return 0;
  const path = `/api/v1/events/${encodeURIComponent(latest.name)}?dryRun=true`;
  return (await client.end<{ readonly count: number }>(path)).count;
}

async function shareWanted(asked: CtlRequest): Promise<{ readonly share: number; readonly isShare: boolean }> {
  const text = wanted(asked, 'how many agents to keep up, such as muster ctl scale 800 or muster ctl scale 80%');
  const [, percent] = /^(\d+(?:\.\d+)?)%$/.exec(text) ?? [];
  if (percent !== undefined && Number(percent) <= 100) return { share: Number(percent) / 100, isShare: true };
  const { agents } = await asked.client.get<FleetAnswer>('/api/v1/fleet');
  if (/^\d+$/.test(text) && Number(text) <= agents.total) return { share: Number(text) / agents.total, isShare: false };
  throw new UserError(
    `scale: expected a share such as 80%, or a number of agents up to ${agents.total}, found ${JSON.stringify(text)}`,
  );
}

async function showFigures(asked: CtlRequest): Promise<void> {
  const { resolution = 'minute' } = asked.flags;
  const answer = await asked.client.get<{ rows: FiguresRow[] }>(
    `/api/v1/figures?resolution=${encodeURIComponent(resolution)}`,
  );
  show(answer, asked, ({ rows }, columns) => figuresText(rows.slice(-MAX_ROWS), columns));
}

/** Limit for text; JSON contains all rows. */
const MAX_ROWS = 60;

/** Survives a restart of the fleet, which may have another address afterwards. */
async function watchFleet(asked: CtlRequest): Promise<void> {
  const { io } = asked;
  const stopping = new AbortController();
  const unsubscribe = io.onInterrupt(() => stopping.abort());
  try {
    await watchUntilEnd(asked, stopping.signal);
    while (!stopping.signal.aborted) {
      await pauseUntil(AGAIN_MS, stopping.signal);
      const again = async () => {
        const client = createControlClient(await findFleet(asked.flags, io));
        await watchUntilEnd({ ...asked, client }, stopping.signal);
      };
      await again().catch((error: unknown) => {
        // The fleet is not up yet.
        if (!(error instanceof UserError)) throw error;
      });
    }
  } finally {
    unsubscribe();
  }
}

/** Resolves when a fleet that was there stops sending; rejects if there was none. */
async function watchUntilEnd({ client, flags, io }: CtlRequest, signal: AbortSignal) {
  let isUp = false;
  try {
    for await (const event of client.events('/api/v1/changes', signal)) {
      isUp = true;
      const line = flags.json ? JSON.stringify(event) : watchedLine(event);
      if (line !== undefined) io.stdout.write(`${line}\n`);
    }
  } catch (error) {
    if (signal.aborted) return;
    if (!isUp || !(error instanceof UserError)) throw error;
    io.stderr.write(`${error.message} Waiting for it; Ctrl-C ends.\n`);
  }
}

const AGAIN_MS = 1000;

function watchedLine({ event, data }: ServerEvent): string | undefined {
  if (event === 'second') return secondText(data as FiguresRow);
  if (event !== 'event') return undefined;
  const { name, do: kind, cohort, status } = data as EventAnswer;
  return `          ${name}: ${kind} (${cohort}), ${status}`;
}

async function exportFleet({ access, client, flags, io }: CtlRequest): Promise<void> {
  const choice = { cohort: flags.of ?? flags.cohort, health: undefined };
  const { agents } = await agentsIn(client, choice, Number.POSITIVE_INFINITY);
  const scenario = parse(flags.format === 'openitcockpit' ? await client.text('/api/v1/scenario') : '{}');
  const place = { ...hostPlaceOf(flags, scenario.fleet?.provision), isPull: onlyListens(scenario) };
  io.stdout.write(
    exported(withFingerprints(agents, access.identities), flags.json ? 'json' : (flags.format ?? 'csv'), place),
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

function wanted({ flags: { what, of } }: CtlRequest, expected: string): string {
  if (of !== undefined) return of;
  throw new UserError(`${what}: expected ${expected}, found nothing.`);
}
