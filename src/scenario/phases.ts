import { z } from 'zod';
import { formatDuration, wholeMicroseconds } from '../ground/kernel/units.ts';
import { type Finding, onValue, type Path, quoted } from '../ground/notation/finding.ts';
import { INSTANT_FORM, type Instant } from '../ground/notation/instant.ts';
import {
  anyDuration,
  LONGEST_MS,
  positiveDuration,
  type RateModel,
  rateModel,
  wholeNumberFrom,
} from '../ground/notation/quantities.ts';
import { valueAtPath } from '../ground/notation/schema-findings.ts';
import { choice, plainName, section, trueOrFalse } from '../ground/notation/section.ts';
import { OPERATIONS, type Operation } from '../ground/protocol/operations.ts';
import { type RateCurve, SPREADS, type StartSpread, startsLongAgo } from '../load/pacers.ts';
import { type Load, type LoadModel, type Phase, timelineEndMs } from '../load/timeline.ts';
import type { Fleet, FleetFile } from './fleet.ts';
import type { PartialList } from './reading/read-part.ts';

/** Load of `register`. */
type RegisterLoad =
  | RateModel
  | { readonly kind: 'concurrency'; readonly slots: number }
  | { readonly kind: 'over'; readonly overMs: number };

/** Load of any other operation; `firstMs` has a default. */
type OperationLoad =
  | RateModel
  | { readonly kind: 'concurrency'; readonly slots: number }
  | {
      readonly kind: 'cadence';
      readonly everyMs: number;
      readonly jitter: number;
      readonly spread: StartSpread | undefined;
      readonly firstMs: number | undefined;
    };

const JITTER = 'a share from 0 to 1 such as 0.1';

const beside = (others: string) => `Left out: set by ${others}.`;

const rate = (others: string) =>
  rateModel.optional().meta({
    description: `Open load: evenly spaced arrivals of the whole fleet. ${beside(others)}`,
    examples: ['500/s', '100/s..2000/s', { '0s': '100/s', '6h': '900/s', '24h': '100/s' }],
  });

const concurrency = (others: string) =>
  wholeNumberFrom(1)
    .optional()
    .meta({
      description: `Closed load: number of operations in flight. ${beside(others)}`,
      examples: [64],
    });

/** The load of `register` in a phase. */
const registerLoad = section({
  rate: rate('`over` or `concurrency`'),
  over: positiveDuration.optional().meta({
    description: `Time over which all agents register, evenly spread. ${beside('`rate` or `concurrency`')}`,
    examples: ['10s'],
  }),
  concurrency: concurrency('`rate` or `over`'),
})
  .superRefine((load, context) => {
    requireOne(load, ['rate', 'over', 'concurrency'], context);
  })
  .transform((load): RegisterLoad => {
    if (load.over !== undefined) return { kind: 'over', overMs: load.over };
    return load.rate ?? { kind: 'concurrency', slots: load.concurrency ?? 0 };
  })
  .meta({
    title: 'registration',
    examples: [{ rate: '200/s' }, { rate: '10/s..200/s' }, { over: '10s' }, { concurrency: 64 }],
  });

/** The load of any other operation in a phase. */
const operationLoad = section({
  rate: rate('`concurrency` or `every`'),
  concurrency: concurrency('`rate` or `every`'),
  every: positiveDuration.optional().meta({
    description: `Interval of each agent on its own fixed grid, like real agents. ${beside('`rate` or `concurrency`')}`,
    examples: ['30s', '5s'],
  }),
  jitter: z
    .number(JITTER)
    .min(0, JITTER)
    .max(1, JITTER)
    .optional()
    .meta({
      description: 'Largest random delay of an arrival, as a share of the time to the next one.',
      default: 0,
      examples: [0.1],
    }),
  spread: choice(SPREADS)
    .optional()
    .meta({
      description:
        'With `every`, positions of agents in the interval: drawn from `fleet.seed`, like hosts that booted at different times; evenly spaced; or all together. Left out: `random`; for `packages` of a `fresh` fleet, as for its check data.',
      examples: ['random', 'even', 'together'],
    }),
  first: anyDuration.optional().meta({
    description:
      'With `every`, time from the start of an agent to its first arrival; agents then start with the load. Left out: set by `fleet.start`.',
    examples: ['5s', '90s'],
  }),
})
  .superRefine((load, context) => {
    const model = requireOne(load, ['rate', 'concurrency', 'every'], context);
    for (const key of ['jitter', 'spread', 'first'] as const) {
      if (model !== undefined && model !== 'every' && load[key] !== undefined)
        context.addIssue({
          code: 'custom',
          message: `no ${key} without every`,
          path: [key],
          params: { found: `${key} with ${model}` },
        });
    }
  })
  .transform((load): OperationLoad => {
    if (load.every === undefined) return load.rate ?? { kind: 'concurrency', slots: load.concurrency ?? 0 };
    const { every, jitter = 0, spread, first } = load;
    return { kind: 'cadence', everyMs: every, jitter, spread, firstMs: first };
  })
  .meta({
    title: 'load',
    examples: [
      { every: '30s' },
      { every: '30s', spread: 'even' },
      { every: '30s', jitter: 0.1, first: '90s' },
      { rate: '500/s' },
      { rate: '100/s..2000/s' },
      { concurrency: 64 },
    ],
  });

/** The only load model given; none or several are reported as an issue. */
function requireOne(
  load: Readonly<Record<string, unknown>>,
  models: readonly string[],
  context: z.RefinementCtx,
): string | undefined {
  const given = models.filter((model) => load[model] !== undefined);
  if (given.length === 1) return given[0];
  context.addIssue({
    code: 'custom',
    message: `exactly one load model: ${models.slice(0, -1).join(', ')} or ${models.at(-1)}`,
    params: { found: given.length === 0 ? 'none' : given.join(' and ') },
  });
  return undefined;
}

/** The cross checks require a load or a web server, and a duration if it cannot be derived. */
const phase = section({
  name: plainName.meta({ description: 'Unique among the phases.', examples: ['steady', 'enroll', 'warm-up'] }),
  duration: positiveDuration.optional().meta({
    description:
      'Duration of the phase. Left out: until all agents have registered, which needs `register` with a `rate`, a ramp or `over`.',
    examples: ['20s', '5m'],
  }),
  exclude: trueOrFalse.default(false).meta({
    description: 'Excludes the phase from overall figures and from thresholds that name no phase. It may have no load.',
  }),
  register: registerLoad
    .optional()
    .describe('Every agent registers. Left out: agents without a password register before they send check data.'),
  authorize: operationLoad.optional().describe('Agents confirm their password. Left out: never.'),
  checkdata: operationLoad
    .optional()
    .describe('Agents send check data. Left out: each agent sends it once, after its registration.'),
  packages: operationLoad.optional().describe('Agents send package information. Left out: never.'),
}).describe('A named part of the run with its loads.');

export const phases = z
  .array(phase, 'a list of phases')
  .min(1, 'at least one phase')
  .meta({
    description: 'Phases of the run, one after another.',
    examples: [
      [
        { name: 'enroll', register: { rate: '200/s' } },
        { name: 'warm-up', duration: '5s', exclude: true, checkdata: { every: '5s', jitter: 0.1 } },
        {
          name: 'steady',
          duration: '20s',
          authorize: { rate: '20/s' },
          checkdata: { every: '5s', jitter: 0.1 },
          packages: { every: '1h', first: '5s' },
        },
      ],
    ],
  });

export type PhaseFile = z.output<typeof phase>;

/** Default time from the start of an agent in the run to its first arrival (docs/reference/wire.md, "When things are sent"). */
const FIRST_MS = { authorize: 0, checkdata: 0, packages: 90_000 } as const;

type Cadence = Extract<LoadModel, { kind: 'cadence' }>;

/** Places the phases one after another and resolves their loads. */
export function phasesOf(
  files: readonly PhaseFile[],
  { agents, start }: Pick<Fleet, 'agents' | 'start'>,
): readonly Phase[] {
  const phases: Phase[] = [];
  for (const file of files) {
    const startMs = timelineEndMs(phases);
    const before = phases.flatMap(({ loads }) => loads);
    const durationMs = file.duration ?? registrationMs(file.register, agents);
    const loads = [
      ...registerLoads(file, { agents, durationMs }),
      ...repeatedLoads(file, { start, startMs, durationMs, before }),
    ];
    phases.push({ ...{ name: file.name, startMs, durationMs, excluded: file.exclude }, loads });
  }
  return phases;
}

type Registering = { readonly agents: number; readonly durationMs: number };

function registerLoads({ register }: PhaseFile, { agents, durationMs }: Registering): readonly Load[] {
  if (register === undefined) return [];
  if (register.kind !== 'over')
    return [{ operation: 'register', model: { ...wholeFleets(register, durationMs), limit: agents } }];
  const ratePerSecond = agents / (register.overMs / 1000);
  return [{ operation: 'register', model: { kind: 'rate', ratePerSecond, limit: agents } }];
}

type OfWholeFleet = Exclude<RegisterLoad, { kind: 'over' }>;
type ModelOfWholeFleet = LoadModel extends infer Model
  ? Model extends { readonly limit: unknown }
    ? Omit<Model, 'limit'>
    : never
  : never;

function wholeFleets(load: OfWholeFleet, durationMs: number): ModelOfWholeFleet {
  switch (load.kind) {
    case 'ramp': {
      const { fromPerSecond, toPerSecond } = load;
      const end = { atMs: durationMs, perSecond: toPerSecond };
      return { kind: 'curve', curve: [{ atMs: 0, perSecond: fromPerSecond }, end] };
    }
    case 'points': {
      const [first, ...points] = load.points;
      if (first === undefined) throw new Error('the schema let a curve without points pass');
      return { kind: 'curve', curve: [first, ...points] };
    }
    default:
      return load;
  }
}

/** How long a registration of all agents takes, in whole milliseconds, rounded up. */
function registrationMs(load: RegisterLoad | undefined, agents: number): number {
  switch (load?.kind) {
    case 'rate':
      return timeFor(agents, load.ratePerSecond);
    case 'ramp':
      return timeFor(agents, (load.fromPerSecond + load.toPerSecond) / 2);
    case 'over':
      return timeFor(agents, agents / (load.overMs / 1000));
    default:
      throw new Error('the schema let a phase without a duration pass');
  }
}

// Rounded to microseconds first, so that floating-point noise does not add a millisecond.
function timeFor(agents: number, perSecond: number): number {
  return Math.ceil(wholeMicroseconds((agents / perSecond) * 1000));
}

/** The context of a load in the scenario. */
type Place = {
  readonly start: Fleet['start'];
  /** Start of the phase. */
  readonly startMs: number;
  readonly durationMs: number;
  /** Loads of earlier phases, in order. */
  readonly before: readonly Load[];
};

function repeatedLoads(file: PhaseFile, place: Place): readonly Load[] {
  return OPERATIONS.filter((operation) => operation !== 'register').flatMap((operation): readonly Load[] => {
    const load = file[operation];
    if (load === undefined) return [];
    if (load.kind !== 'cadence')
      return [{ operation, model: { ...wholeFleets(load, place.durationMs), limit: undefined } }];
    const before = place.before.findLast((other) => other.operation === operation && other.model.kind === 'cadence');
    const cadence = { ...load, firstMs: load.firstMs ?? FIRST_MS[operation], ...startsOf(file, load, place) };
    return [{ operation, model: continued(cadence, before?.model) }];
  });
}

type CadenceLoad = Extract<OperationLoad, { kind: 'cadence' }>;
type Starts = Pick<Cadence, 'standing' | 'spread' | 'originMs' | 'spreadMs'>;

/** In a standing fleet, each operation of an agent has its own grid. An agent that starts begins all its grids at its start. */
function startsOf(
  { checkdata }: PhaseFile,
  { everyMs, firstMs, spread }: CadenceLoad,
  { start, startMs }: Place,
): Starts {
  if (start === 'fresh' || firstMs !== undefined) {
    const checks = checkdata?.kind === 'cadence' ? checkdata : undefined;
    const own = spread ?? checks?.spread ?? 'random';
    return { standing: false, spread: own, originMs: startMs, spreadMs: checks?.everyMs ?? everyMs };
  }
  if (spread === undefined || spread === 'random') return { standing: true, ...startsLongAgo(everyMs) };
  return { standing: true, spread, originMs: startMs, spreadMs: everyMs };
}

// A cadence that returns in a later phase continues: agents keep their offsets on its grid.
function continued(cadence: Cadence, before: LoadModel | undefined): Cadence {
  const isSame =
    before?.kind === 'cadence' &&
    before.everyMs === cadence.everyMs &&
    before.firstMs === cadence.firstMs &&
    before.standing === cadence.standing &&
    before.spread === cadence.spread;
  return isSame ? { ...before, jitter: cadence.jitter } : cadence;
}

/** Formats a phase as a section of a scenario file. */
export function writtenPhase({ name, durationMs, excluded, loads }: Phase): object {
  return {
    name,
    // An endless phase gets the longest valid duration.
    duration: formatDuration(Math.min(durationMs, LONGEST_MS)),
    exclude: excluded,
    ...Object.fromEntries(loads.map(({ operation, model }) => [operation, writtenLoad(model, durationMs)])),
  };
}

function writtenLoad(model: LoadModel, durationMs: number): object {
  switch (model.kind) {
    case 'rate':
      return { rate: formatRate(model.ratePerSecond) };
    case 'curve':
      return { rate: writtenCurve(model.curve, durationMs) };
    case 'concurrency':
      return { concurrency: model.slots };
    case 'cadence': {
      const { everyMs, jitter, spread, standing, firstMs } = model;
      const first = standing ? {} : { first: formatDuration(firstMs) };
      return { every: formatDuration(everyMs), jitter, spread, ...first };
    }
  }
}

function writtenCurve(curve: RateCurve, durationMs: number): string | object {
  const [first, last, ...others] = curve;
  const isRamp = first.atMs === 0 && last?.atMs === durationMs && others.length === 0;
  if (isRamp) return `${formatRate(first.perSecond)}..${formatRate(last.perSecond)}`;
  return Object.fromEntries(curve.map(({ atMs, perSecond }) => [formatDuration(atMs), formatRate(perSecond)]));
}

// All digits without an exponent, which the notation lacks.
function formatRate(perSecond: number): string {
  const [digits = '', zeros] = String(perSecond).split('e-');
  return `${zeros === undefined ? digits : `0.${'0'.repeat(Number(zeros) - 1)}${digits.replace('.', '')}`}/s`;
}

/** The readable parts of phases and of the fleet that they are checked against. */
export type PartialPhases = { readonly phases?: PartialList<PhaseFile>; readonly fleet?: Partial<FleetFile> };

/** Conflicts of phases with each other and with the fleet. */
export function phaseFindings(file: PartialPhases, raw: unknown): readonly Finding[] {
  return [
    ...idlePhases(raw),
    ...timelessPhases(file, raw),
    ...endlessPhases(file),
    ...repeatedNames(file),
    ...excessSlots(file),
  ];
}

const PHASE_KEYS: readonly string[] = Object.keys(phase.shape);

/** A phase without loads is valid if agents listen. */
function idlePhases(raw: unknown): readonly Finding[] {
  if (isListening(raw)) return [];
  return keysOfPhases(raw).flatMap((keys, index) => {
    if (keys === undefined) return [];
    // An excluded phase may be a pause. A misspelled load is only reported as such.
    if (keys.includes('exclude')) return [];
    const isIdle = keys.every((key) => PHASE_KEYS.includes(key)) && !OPERATIONS.some((key) => keys.includes(key));
    const expected = 'at least one load: register, authorize, checkdata or packages';
    return isIdle ? [onValue(['phases', index], expected, 'none')] : [];
  });
}

function timelessPhases({ phases = [] }: PartialPhases, raw: unknown): readonly Finding[] {
  return keysOfPhases(raw).flatMap((keys, index) => {
    if (keys === undefined) return [];
    const { kind } = phases[index]?.register ?? {};
    const isDerived = keys.includes('register') && kind !== 'concurrency' && kind !== 'points';
    const isPhase = isListening(raw) || OPERATIONS.some((key) => keys.includes(key));
    if (keys.includes('duration') || isDerived || !isPhase) return [];
    return [onValue(['phases', index], 'a duration', 'none')];
  });
}

function endlessPhases({ fleet, phases = [] }: PartialPhases): readonly Finding[] {
  return phases.flatMap((phase, index): Finding[] => {
    const { duration, register } = phase ?? {};
    if (duration !== undefined || fleet?.agents === undefined) return [];
    if (register?.kind !== 'rate' && register?.kind !== 'ramp') return [];
    if (registrationMs(register, fleet.agents) <= LONGEST_MS) return [];
    const expected = `a rate at which all ${fleet.agents} agents register within 365d, or a duration of the phase`;
    return [onValue(['phases', index, 'register', 'rate'], expected, 'a lower one')];
  });
}

function isListening(raw: unknown): boolean {
  return valueAtPath(raw, ['webServer']) !== undefined;
}

function repeatedNames({ phases = [] }: PartialPhases): readonly Finding[] {
  return phases.flatMap((phase, index): Finding[] => {
    const earlier = phases.findIndex((other) => other?.name === phase?.name);
    if (phase?.name === undefined || earlier === index) return [];
    const expected = 'a unique name for every phase';
    return [onValue(['phases', index, 'name'], expected, `${quoted(phase.name)} again`)];
  });
}

function excessSlots({ fleet, phases = [] }: PartialPhases): readonly Finding[] {
  const agents = fleet?.agents ?? Number.POSITIVE_INFINITY;
  return phases.flatMap((phase, index) =>
    OPERATIONS.flatMap((operation): Finding[] => {
      const load = phase?.[operation];
      if (load?.kind !== 'concurrency' || load.slots <= agents) return [];
      const expected = `at most the number of agents (${agents}), because each agent does one thing at a time`;
      return [onValue(['phases', index, operation, 'concurrency'], expected, `the number ${load.slots}`)];
    }),
  );
}

/** The names of the phases in a file. */
export function phaseNames({ phases = [] }: PartialPhases): readonly string[] {
  return phases.flatMap((phase) => phase?.name ?? []);
}

/** Lists the phases, for a message about an unknown name. */
export function phasesText(names: readonly string[]): string {
  return names.length === 0 ? 'this scenario has none' : `this scenario has ${[...new Set(names)].join(', ')}`;
}

/** The keys of each phase, with valid values or not; `undefined` for an entry that is not a section. */
export function keysOfPhases(raw: unknown): readonly (readonly string[] | undefined)[] {
  const phases = valueAtPath(raw, ['phases']);
  if (!Array.isArray(phases)) return [];
  return phases.map((phase) => (typeof phase === 'object' && phase !== null ? Object.keys(phase) : undefined));
}

/** Operations that loads lead to. An agent without a password registers when check data is due, and sends check data after that. */
export function plannedBy(keys: readonly string[]): readonly Operation[] {
  const cycle: readonly Operation[] = ['register', 'checkdata'];
  const isCycle = cycle.some((operation) => keys.includes(operation));
  return OPERATIONS.filter((operation) => keys.includes(operation) || (isCycle && cycle.includes(operation)));
}

/** A time relative to an unknown phase. */
export function strangeInstant(
  path: Path,
  instant: Instant | undefined,
  phases: readonly string[],
): readonly Finding[] {
  const phase = instant?.phase;
  if (phase === undefined || phases.includes(phase)) return [];
  return [{ ...onValue(path, `${INSTANT_FORM}; ${phasesText(phases)}`, quoted(phase)), candidates: phases }];
}

/** A time after the end of the run. */
export function lateInstant(path: Path, atMs: number | undefined, phases: readonly Phase[]): readonly Finding[] {
  const endMs = timelineEndMs(phases);
  if (atMs === undefined || atMs < endMs) return [];
  return [onValue(path, `a time before the end of the run at ${formatDuration(endMs)}`, formatDuration(atMs))];
}
