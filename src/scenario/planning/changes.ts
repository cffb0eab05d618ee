import { isDeepStrictEqual } from 'node:util';
import { hostGroups } from '../../hosts/groups.ts';
import type { FleetEvent } from '../../load/events/event.ts';
import type { Load, Phase } from '../../load/timeline.ts';
import { isNamed } from '../cohorts.ts';
import { plainScenario } from '../file.ts';
import { addressOfAgent } from '../listen-range.ts';
import type { Scenario } from '../scenario.ts';
import { displayUrl } from '../server-urls.ts';
import { keptScenario, scenarioSince } from './staying.ts';

/** How an edited scenario changes a running fleet. */
export type ScenarioChanges = {
  /** Changed keys of the file, without `events`. */
  readonly keys: readonly KeyChange[];
  readonly agents: AgentChanges;
  readonly events: {
    readonly gone: readonly string[];
    /** Events that replace others of the same name. Times count from the first start of the fleet. */
    readonly changed: readonly FleetEvent[];
    readonly come: readonly FleetEvent[];
  };
  /** Reasons why a running fleet cannot apply the changes, one sentence each; empty if it can. */
  readonly refused: readonly string[];
};

/** Old and new value as text without secrets; `null` if the key is absent. */
export type KeyChange = { readonly key: string; readonly from: string | null; readonly to: string | null };

/** Indexes of agents in the fleet, in ascending order. */
export type AgentChanges = {
  /** Agents that restart with another host, target or cadence. */
  readonly changed: readonly number[];
  readonly come: readonly number[];
  readonly gone: readonly number[];
  readonly unchanged: number;
};

/**
 * Compares an edited scenario with the one that a fleet runs, `elapsedMs` after the first start of the fleet. Both are as parsed.
 * @throws UserError if the edited scenario is not valid for a kept fleet
 */
export function changesBetween(running: Scenario, edited: Scenario, elapsedMs: number): ScenarioChanges {
  const present = (scenario: Scenario) => scenarioSince(keptScenario(scenario), elapsedMs);
  const [before, after] = [present(running), present(edited)];
  const comparable = (phases: readonly Phase[], all: readonly Phase[]) =>
    phases.map((phase) => comparablePhase(phase, all, elapsedMs));
  const current = { ...before, phases: comparable(before.phases, running.phases) };
  const wanted = { ...after, phases: comparable(after.phases, edited.phases) };
  const agents = agentChanges(current, wanted);
  return {
    keys: keyChanges(running, edited),
    agents,
    events: eventChanges(keptScenario(running).events, keptScenario(edited).events),
    refused: [
      ...refusals(running, edited),
      ...phaseRefusals(current, wanted),
      ...movingRefusals(wanted, current, agents),
    ],
  };
}

/**
 * A phase in a form that can be compared: without registration loads that have reached all agents, and with the index of the phase
 * in which agents started instead of a time, because a new duration of a past phase does not restart agents.
 */
function comparablePhase(phase: Phase, all: readonly Phase[], elapsedMs: number): Phase {
  const overMs = elapsedMs - (all.find(({ name }) => name === phase.name)?.startMs ?? 0);
  const isSpent = ({ model }: Load): boolean =>
    model.kind === 'rate' && model.limit !== undefined && (model.limit / model.ratePerSecond) * 1000 < overMs;
  const fromItsPhase = (load: Load): Load => {
    const { model } = load;
    // An edit reads no files.
    if (model.kind === 'trace') return { ...load, model: { ...model, counts: undefined } };
    if (model.kind !== 'cadence') return load;
    const began = all.findIndex(({ startMs }) => startMs === model.originMs + elapsedMs);
    return began < 0 ? load : { ...load, model: { ...model, originMs: began } };
  };
  return { ...phase, loads: phase.loads.filter((load) => !isSpent(load)).map(fromItsPhase) };
}

function agentChanges(before: Scenario, after: Scenario): AgentChanges {
  const common = Math.min(before.fleet.agents, after.fleet.agents);
  const isChanged = changedAgents(before, after);
  const changed = range(0, common).filter(isChanged);
  return {
    changed,
    come: range(common, after.fleet.agents),
    gone: range(common, before.fleet.agents),
    unchanged: common - changed.length,
  };
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n);
}

/** UUID and host name depend only on seed and index, so they never change here. */
function changedAgents(before: Scenario, after: Scenario): (agent: number) => boolean {
  if (!isDeepStrictEqual(buildInputs(before), buildInputs(after))) return () => true;
  const [hostBefore, hostAfter] = [before, after].map(({ fleet }) => hostDescriber(fleet));
  const [listenBefore, listenAfter] = [before, after].map(({ webServer }) => webServer?.listen);
  const isOtherAddress =
    listenBefore !== undefined && listenAfter !== undefined && !isDeepStrictEqual(listenBefore, listenAfter)
      ? (agent: number) => !isDeepStrictEqual(addressOfAgent(listenBefore, agent), addressOfAgent(listenAfter, agent))
      : () => false;
  return (agent) => hostBefore?.(agent) !== hostAfter?.(agent) || isOtherAddress(agent);
}

/** What an agent's host depends on in addition to seed and index. */
function hostDescriber(fleet: Scenario['fleet']): (agent: number) => string | undefined {
  const groups = hostGroups(fleet);
  const descriptions = groups.list.map((group) => JSON.stringify([{ ...group, size: undefined }, 'groups' in fleet]));
  return (agent) => descriptions[groups.of(agent)];
}

/** Settings common to all agents. */
function buildInputs({ target, fleet, webServer, phases }: Scenario): object {
  const { connections, sourceAddresses } = fleet;
  return {
    connections,
    sourceAddresses,
    target: { ...target, allow: [], faults: [] },
    webServer: webServer && { ...webServer, listen: undefined, allowListen: [] },
    // The duration of a phase does not affect agents.
    loads: phases.map(({ name, loads }) => ({ name, loads })),
  };
}

function eventChanges(before: readonly FleetEvent[], after: readonly FleetEvent[]): ScenarioChanges['events'] {
  const known = new Map(before.map((event) => [event.name, event]));
  const names = new Set(after.map(({ name }) => name));
  return {
    gone: [...known.keys()].filter((name) => !names.has(name)),
    changed: after.filter((event) => known.has(event.name) && !isDeepStrictEqual(known.get(event.name), event)),
    come: after.filter(({ name }) => !known.has(name)),
  };
}

const REMEDY = 'stop the fleet and start it with the edited file';

function refusal(key: string, expected: string, found: string, remedy = REMEDY): string {
  return `${key}: expected ${expected} while the fleet is up, found ${found}; ${remedy}.`;
}

function refusals(running: Scenario, edited: Scenario): readonly string[] {
  const other = 'revert it, or start another fleet';
  const [{ fleet, target, webServer }, { fleet: newFleet, target: newTarget }] = [running, edited];
  const wider = (before: readonly string[] = [], after: readonly string[] = []) =>
    after.filter((host) => !before.includes(host)).join(', ');
  const allowed = wider(target.allow, newTarget.allow);
  const allowedListen = wider(webServer?.allowListen, edited.webServer?.allowListen);
  const isEmbedded = target.url === 'embedded' || newTarget.url === 'embedded';
  const kind = ({ url }: Scenario['target']) => (url === 'embedded' ? url : displayUrl(url));
  return [
    running.name !== edited.name && refusal('name', running.name, edited.name, other),
    fleet.seed !== newFleet.seed && refusal('fleet.seed', `${fleet.seed}`, `${newFleet.seed}`, other),
    !isDeepStrictEqual(fleet.identities, newFleet.identities) &&
      refusal('fleet.identities', fileText(fleet), fileText(newFleet), other),
    !isDeepStrictEqual(fleet.connections, newFleet.connections) &&
      refusal('fleet.connections', 'unchanged connection sharing', 'a different setting'),
    isEmbedded &&
      !isDeepStrictEqual(target, newTarget) &&
      refusal(
        'target',
        `${kind(target)} with unchanged settings`,
        target.url === newTarget.url ? 'different settings' : kind(newTarget),
      ),
    !isDeepStrictEqual(running.cohorts.filter(isNamed), edited.cohorts.filter(isNamed)) &&
      refusal('cohorts', 'unchanged cohorts, of which figures are kept', 'others'),
    // Permission to load a host comes from the command line, not from clients of the control API.
    allowed !== '' && refusal('target.allow', 'no additional hosts', allowed),
    allowedListen !== '' && refusal('webServer.allowListen', 'no additional addresses', allowedListen),
  ].filter((text) => text !== false);
}

function fileText({ identities }: Scenario['fleet']): string {
  return identities.kind === 'file' ? identities.path : 'ephemeral';
}

/** Measurements belong to a phase, and all agents are in the same phase. */
function phaseRefusals({ phases: before }: Scenario, { phases: after }: Scenario): readonly string[] {
  const times = (phases: readonly Phase[]) =>
    phases.map(({ name, startMs, durationMs }) => ({ name, startMs, durationMs }));
  if (isDeepStrictEqual(times(before), times(after))) return [];
  const names = (phases: readonly Phase[]) => phases.map(({ name }) => name).join(', ');
  const found = names(before) === names(after) ? 'different times' : names(after);
  return [refusal('phases', `unchanged current and later phases (${names(before)})`, found)];
}

/** A load of the whole fleet cannot be redistributed, so agents must not change while it runs. */
function movingRefusals({ phases, target }: Scenario, before: Scenario, agents: AgentChanges): readonly string[] {
  const { changed, come, gone } = agents;
  if (changed.length + come.length + gone.length === 0) return [];
  const loads = [...before.phases, ...phases].flatMap((phase) =>
    phase.loads.map((load) => ({ ...load, phase: phase.name })),
  );
  const shared = loads.find(
    ({ model }) =>
      model.kind === 'concurrency' ||
      (come.length + gone.length > 0 && (model.kind === 'rate' || model.kind === 'curve')),
  );
  return [
    shared !== undefined &&
      refusal(
        `phases.${shared.phase}.${shared.operation}`,
        'a cadence per agent (every: 30s) if agents change',
        'a load of the whole fleet',
      ),
    (target.pull !== undefined || before.target.pull !== undefined) &&
      refusal('target.pull', 'no change of polled agents', 'changed agents'),
    before.fleet.connections.kind === 'shared' &&
      refusal('fleet.connections', 'one connection per agent if agents change', 'shared connections'),
  ].filter((text) => text !== false);
}

/** Why the agents of a running fleet cannot move to other machines; `undefined` if they can. */
export function whyAgentsStay(scenario: Scenario): string | undefined {
  const [first] = movingRefusals(scenario, scenario, { changed: [0], come: [], gone: [], unchanged: 0 });
  return first;
}

function keyChanges(running: Scenario, edited: Scenario): readonly KeyChange[] {
  const valuesOf = (scenario: Scenario) => leaves({ ...plainScenario(scenario), events: undefined });
  const [before, after] = [valuesOf(running), valuesOf(edited)];
  const written = [...new Set([...before.keys(), ...after.keys()])].flatMap((key): readonly KeyChange[] => {
    const [from = null, to = null] = [before.get(key), after.get(key)];
    return from === to ? [] : [{ key, from, to }];
  });
  const known = new Set(written.map(({ key }) => key));
  return [...written, ...secretChanges(running, edited).filter(({ key }) => !known.has(key))];
}

/** For secrets, reports only that they changed. */
function secretChanges(running: Scenario, edited: Scenario): readonly KeyChange[] {
  const secrets = ({ target, webServer }: Scenario): readonly (readonly [key: string, secret: unknown])[] => [
    ['target.apiKey', target.apiKey],
    ['target.url', [target.url, ...target.furtherUrls]],
    ['target.proxy', target.proxy],
    ['webServer.basicAuth', webServer?.basicAuth],
  ];
  const after = new Map(secrets(edited));
  return secrets(running).flatMap(([key, secret]) =>
    isDeepStrictEqual(secret, after.get(key)) ? [] : [{ key, from: 'a secret', to: 'another secret' }],
  );
}

/** The values of a written scenario by dotted key, such as `phases.steady.checkdata.every`. */
function leaves(value: unknown, path = ''): ReadonlyMap<string, string> {
  if (value === undefined || value === null) return new Map();
  const isList = Array.isArray(value) && value.every((one) => typeof one !== 'object');
  if (typeof value !== 'object' || isList) return new Map([[path, isList ? JSON.stringify(value) : String(value)]]);
  const entries = Array.isArray(value)
    ? value.map((one, n) => [String((one as { name?: unknown }).name ?? n), { ...one, name: undefined }] as const)
    : Object.entries(value);
  return new Map(entries.flatMap(([key, part]) => [...leaves(part, path === '' ? key : `${path}.${key}`)]));
}
