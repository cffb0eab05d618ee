import { isDeepStrictEqual } from 'node:util';
import type { Load, Phase } from '../../load/timeline.ts';
import { hostKinds, mouldOf } from '../../machine/kinds.ts';
import { shownUrl } from '../base-urls.ts';
import { plainScenario } from '../file.ts';
import { addressOfAgent } from '../listen-range.ts';
import type { Scenario, ScenarioEvent } from '../scenario.ts';
import { scenarioSince, stayingScenario } from './staying.ts';

/** What an edited scenario makes of a fleet that is up. */
export type ScenarioChanges = {
  /** Keys of the file that say something else, but for `events`. */
  readonly keys: readonly KeyChange[];
  readonly agents: AgentChanges;
  readonly events: {
    /** By their names. */
    readonly gone: readonly string[];
    /** Under the names of others; times count from the first start of the fleet. */
    readonly changed: readonly ScenarioEvent[];
    readonly come: readonly ScenarioEvent[];
  };
  /** Why it cannot be taken up while the fleet is up, a sentence each; empty: it can. */
  readonly refused: readonly string[];
};

/** As texts for a person, secrets left out; null: the key is not there. */
export type KeyChange = { readonly key: string; readonly from: string | null; readonly to: string | null };

/** By their indices in the fleet, ascending. */
export type AgentChanges = {
  /** They come again as others: another host, another target, another rhythm. */
  readonly changed: readonly number[];
  readonly come: readonly number[];
  readonly gone: readonly number[];
  readonly unchanged: number;
};

/**
 * Holds an edited scenario against the one that a fleet runs, so long after its first start. Both as they were read. Throws
 * `UserError` if the edited one is none of a fleet that stays.
 */
export function changesBetween(running: Scenario, edited: Scenario, elapsedMs: number): ScenarioChanges {
  const [before, after] = [running, edited].map((scenario) => scenarioSince(stayingScenario(scenario), elapsedMs)) as [
    Scenario,
    Scenario,
  ];
  const felt = (phases: readonly Phase[], all: readonly Phase[]) =>
    phases.map((phase) => asFelt(phase, all, elapsedMs));
  const present = { ...before, phases: felt(before.phases, running.phases) };
  const wanted = { ...after, phases: felt(after.phases, edited.phases) };
  const agents = agentChanges(present, wanted);
  return {
    keys: keyChanges(running, edited),
    agents,
    events: eventChanges(stayingScenario(running).events, stayingScenario(edited).events),
    refused: [
      ...refusals(running, edited),
      ...phaseRefusals(present, wanted),
      ...movingRefusals(wanted, present, agents),
    ],
  };
}

/**
 * A phase as it is to its agents: without loads that have asked all whom they ask; and when agents started is told by the phase that they
 * started with, as what is over does not begin anew because it would have been longer.
 */
function asFelt(phase: Phase, all: readonly Phase[], elapsedMs: number): Phase {
  const overMs = elapsedMs - (all.find(({ name }) => name === phase.name)?.startMs ?? 0);
  const isSpent = ({ model }: Load): boolean =>
    model.kind === 'rate' && model.limit !== undefined && (model.limit / model.ratePerSecond) * 1000 < overMs;
  const fromItsPhase = (load: Load): Load => {
    const { model } = load;
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

/** Uuid and name follow from seed and index. */
function changedAgents(before: Scenario, after: Scenario): (agent: number) => boolean {
  if (!isDeepStrictEqual(madeFrom(before), madeFrom(after))) return () => true;
  const [hostBefore, hostAfter] = [before, after].map(({ fleet }) => hostDescriber(fleet));
  const [listenBefore, listenAfter] = [before, after].map(({ webServer }) => webServer?.listen);
  const isOtherAddress =
    listenBefore !== undefined && listenAfter !== undefined && !isDeepStrictEqual(listenBefore, listenAfter)
      ? (agent: number) => !isDeepStrictEqual(addressOfAgent(listenBefore, agent), addressOfAgent(listenAfter, agent))
      : () => false;
  return (agent) => hostBefore?.(agent) !== hostAfter?.(agent) || isOtherAddress(agent);
}

/** What an agent's host is made from besides. */
function hostDescriber(fleet: Scenario['fleet']): (agent: number) => string | undefined {
  const kinds = hostKinds(fleet);
  const descriptions = kinds.list.map((kind) => {
    const { payload, checks } = mouldOf(fleet, kind);
    return JSON.stringify({ ...kind, group: kind.group && { ...kind.group, size: undefined }, payload, checks });
  });
  return (agent) => descriptions[kinds.of(agent)];
}

/** What all agents have in common. */
function madeFrom({ target, fleet, webServer, phases }: Scenario): object {
  const { connections, sourceAddresses } = fleet;
  return {
    ...{ connections, sourceAddresses },
    target: { ...target, allow: [], faults: [] },
    webServer: webServer && { ...webServer, listen: undefined, allowListen: [] },
    // Until when a phase lasts is no agent's.
    loads: phases.map(({ name, loads }) => ({ name, loads })),
  };
}

function eventChanges(before: readonly ScenarioEvent[], after: readonly ScenarioEvent[]): ScenarioChanges['events'] {
  const known = new Map(before.map((event) => [event.name, event]));
  const names = new Set(after.map(({ name }) => name));
  return {
    gone: [...known.keys()].filter((name) => !names.has(name)),
    changed: after.filter((event) => known.has(event.name) && !isDeepStrictEqual(known.get(event.name), event)),
    come: after.filter(({ name }) => !known.has(name)),
  };
}

const REMEDY = 'stop the fleet, and start it with the edited file';

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
  const kind = ({ url }: Scenario['target']) => (url === 'embedded' ? url : shownUrl(url));
  return [
    ...(running.name === edited.name ? [] : [refusal('name', running.name, edited.name, other)]),
    ...(fleet.seed === newFleet.seed ? [] : [refusal('fleet.seed', `${fleet.seed}`, `${newFleet.seed}`, other)]),
    ...(isDeepStrictEqual(fleet.identities, newFleet.identities)
      ? []
      : [refusal('fleet.identities', fileText(fleet), fileText(newFleet), other)]),
    ...(isDeepStrictEqual(fleet.connections, newFleet.connections)
      ? []
      : [refusal('fleet.connections', 'the same shared connections as before', 'another way')]),
    ...(isEmbedded && !isDeepStrictEqual(target, newTarget)
      ? [
          refusal(
            'target',
            `${kind(target)} as it was started`,
            target.url === newTarget.url ? 'other settings of it' : kind(newTarget),
          ),
        ]
      : []),
    // Permission to load a host comes from the command line, not from clients of the control API.
    ...(allowed === '' ? [] : [refusal('target.allow', 'no more hosts', allowed)]),
    ...(allowedListen === '' ? [] : [refusal('webServer.allowListen', 'no more addresses', allowedListen)]),
  ];
}

function fileText({ identities }: Scenario['fleet']): string {
  return identities.kind === 'file' ? identities.path : 'ephemeral';
}

/** What was measured belongs to a phase, and all agents are in the same. */
function phaseRefusals({ phases: before }: Scenario, { phases: after }: Scenario): readonly string[] {
  const times = (phases: readonly Phase[]) =>
    phases.map(({ name, startMs, durationMs }) => ({ name, startMs, durationMs }));
  if (isDeepStrictEqual(times(before), times(after))) return [];
  const names = (phases: readonly Phase[]) => phases.map(({ name }) => name).join(', ');
  const found = names(before) === names(after) ? 'other times of them' : names(after);
  return [refusal('phases', `unchanged phases that are not over, ${names(before)},`, found)];
}

/** A load of the whole fleet cannot be divided again, so it continues unchanged. */
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
    ...(shared === undefined
      ? []
      : [
          refusal(
            `phases.${shared.phase}.${shared.operation}`,
            'a cadence of each agent (every: 30s) where agents change',
            'a load of the whole fleet',
          ),
        ]),
    ...(target.pull === undefined && before.target.pull === undefined
      ? []
      : [refusal('target.pull', 'the same polled agents', 'others')]),
    ...(before.fleet.connections.kind === 'shared'
      ? [refusal('fleet.connections', 'one connection per agent if agents change', 'shared connections')]
      : []),
  ];
}

function keyChanges(running: Scenario, edited: Scenario): readonly KeyChange[] {
  const [before, after] = [running, edited].map((scenario) =>
    leaves({ ...plainScenario(scenario), events: undefined }),
  );
  const keys = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])]);
  const written = [...keys].flatMap((key): readonly KeyChange[] => {
    const [from = null, to = null] = [before?.get(key), after?.get(key)];
    return from === to ? [] : [{ key, from, to }];
  });
  const known = new Set(written.map(({ key }) => key));
  return [...written, ...secretChanges(running, edited).filter(({ key }) => !known.has(key))];
}

/** Secrets show only that they changed. */
function secretChanges(running: Scenario, edited: Scenario): readonly KeyChange[] {
  const secrets = ({ target, webServer }: Scenario): readonly (readonly [key: string, secret: unknown])[] => [
    ['target.apiKey', target.apiKey],
    ['target.url', [target.url, ...target.furtherUrls]],
    ['target.proxy', target.proxy],
    ['webServer.basicAuth', webServer?.basicAuth],
  ];
  const after = new Map(secrets(edited));
  return secrets(running).flatMap(([key, secret]) =>
    isDeepStrictEqual(secret, after.get(key)) ? [] : [{ key, from: 'a secret', to: 'another' }],
  );
}

/** The texts of a written scenario by their keys: `phases.steady.checkdata.every`. */
function leaves(value: unknown, path = ''): ReadonlyMap<string, string> {
  if (value === undefined || value === null) return new Map();
  const isList = Array.isArray(value) && value.every((one) => typeof one !== 'object');
  if (typeof value !== 'object' || isList) return new Map([[path, isList ? JSON.stringify(value) : String(value)]]);
  const entries = Array.isArray(value)
    ? value.map((one, n) => [String((one as { name?: unknown }).name ?? n), withoutName(one)] as const)
    : Object.entries(value);
  return new Map(entries.flatMap(([key, part]) => [...leaves(part, path === '' ? key : `${path}.${key}`)]));
}

function withoutName(entry: object): object {
  return { ...entry, name: undefined };
}
