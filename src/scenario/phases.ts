import { z } from 'zod';
import { wholeMicroseconds } from '../base/kernel/units.ts';
import {
  anyDuration,
  MAX_DURATION_MS,
  positiveDuration,
  type RateModel,
  rateModel,
  wholeNumberFrom,
} from '../base/notation/quantities.ts';
import { choice, plainName, section, trueOrFalse } from '../base/notation/section.ts';
import { OPERATIONS, type Operation } from '../base/protocol/operations.ts';
import { type RateCurve, SPREADS, type StartSpread, startsLongAgo } from '../load/pacers.ts';
import { type Load, type LoadModel, type Phase, timelineEndMs } from '../load/timeline.ts';
import type { Fleet } from './fleet.ts';
import { sectionsOfTraces, type Traces, traceLoad, traceLoadFile, traceLoads } from './traces.ts';

/** Load of the whole fleet: open or closed. */
type FleetLoad = { readonly rate: RateModel } | { readonly concurrency: number };

/** Load of `register`; `agents` defaults to the whole fleet. */
type RegisterLoad = (FleetLoad | { readonly over: number }) & { readonly agents?: number };

/** Interval of each agent; `first` has a default. */
type CadenceLoad = {
  readonly every: number;
  readonly jitter?: number;
  readonly spread?: StartSpread;
  readonly first?: number;
};

/** Load of any operation other than `register`. */
type OperationLoad = FleetLoad | CadenceLoad;

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

const registerLoad = section({
  rate: rate('`over` or `concurrency`'),
  over: positiveDuration.optional().meta({
    description: `Time over which all agents register, evenly spread. ${beside('`rate` or `concurrency`')}`,
    examples: ['10s'],
  }),
  concurrency: concurrency('`rate` or `over`'),
  agents: wholeNumberFrom(1)
    .optional()
    .meta({
      description: 'How many register, the first of the fleet. Left out: all.',
      examples: [50],
    }),
})
  .superRefine((load, context) => {
    requireOne(load, ['rate', 'over', 'concurrency'], context);
  })
  .pipe(z.custom<RegisterLoad>())
  .meta({
    title: 'registration',
    examples: [{ rate: '200/s' }, { rate: '10/s..200/s' }, { over: '10s' }, { concurrency: 64 }],
  });

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
  .pipe(z.custom<OperationLoad>())
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
      'Duration of the phase. Left out: until all agents have registered, which needs `register` with a `rate`, a ramp or `over`; or the end of the trace.',
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
  load: traceLoad.optional().describe('Agents follow a trace, the only load of its phase. Left out: no trace.'),
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

export const PHASE_KEYS: readonly string[] = Object.keys(phase.shape);

/** Default time from the start of an agent in the run to its first arrival (docs/reference/wire.md, "When things are sent"). */
const FIRST_MS = { authorize: 0, checkdata: 0, packages: 90_000 } as const;

type Cadence = Extract<LoadModel, { kind: 'cadence' }>;

/** Places the phases one after another and resolves their loads. */
export function phasesOf(
  files: readonly PhaseFile[],
  { agents, start }: Pick<Fleet, 'agents' | 'start'>,
  traces: Traces,
): readonly Phase[] {
  const phases: Phase[] = [];
  const cadences = new Map<Operation, Cadence>();
  const sections = sectionsOfTraces(files, traces);
  for (const file of files) {
    const startMs = timelineEndMs(phases);
    const section = sections.get(file);
    const durationMs = file.duration ?? section?.durationMs ?? registrationMs(file.register, agents);
    const loads = [
      ...(file.load && section ? traceLoads(file.load, section.fromMs, traces) : []),
      ...registerLoads(file, agents, durationMs),
      ...repeatedLoads(file, { start, startMs, durationMs, cadences }),
    ];
    for (const { operation, model } of loads) if (model.kind === 'cadence') cadences.set(operation, model);
    phases.push({ name: file.name, startMs, durationMs, excluded: file.exclude, loads });
  }
  return phases;
}

function registerLoads({ register }: PhaseFile, agents: number, durationMs: number): readonly Load[] {
  if (register === undefined) return [];
  const limit = register.agents ?? agents;
  if (!('over' in register)) return [{ operation: 'register', model: { ...modelOf(register, durationMs), limit } }];
  return [{ operation: 'register', model: { kind: 'rate', ratePerSecond: limit / (register.over / 1000), limit } }];
}

type FleetModel = LoadModel extends infer Model
  ? Model extends { readonly limit: unknown }
    ? Omit<Model, 'limit'>
    : never
  : never;

function modelOf(load: FleetLoad, durationMs: number): FleetModel {
  if ('concurrency' in load) return { kind: 'concurrency', slots: load.concurrency };
  const { rate } = load;
  switch (rate.kind) {
    case 'ramp': {
      const { fromPerSecond, toPerSecond } = rate;
      const end = { atMs: durationMs, perSecond: toPerSecond };
      return { kind: 'curve', curve: [{ atMs: 0, perSecond: fromPerSecond }, end] };
    }
    case 'points': {
      const [first, ...points] = rate.points;
      if (first === undefined) throw new Error('the schema let a curve without points pass');
      return { kind: 'curve', curve: [first, ...points] };
    }
    case 'rate':
      return rate;
  }
}

/** How long a registration of its agents takes, in whole milliseconds, rounded up. */
export function registrationMs(load: RegisterLoad | undefined, all: number): number {
  const agents = load?.agents ?? all;
  if (load !== undefined && 'over' in load) return timeFor(agents, agents / (load.over / 1000));
  const rate = meanRate(load);
  if (rate === undefined) throw new Error('the schema let a phase without a duration pass');
  return timeFor(agents, rate);
}

/** The mean rate of a load that is constant or a ramp, in operations per second. */
export function meanRate(load: RegisterLoad | undefined): number | undefined {
  if (load === undefined || !('rate' in load) || load.rate.kind === 'points') return undefined;
  return load.rate.kind === 'rate' ? load.rate.ratePerSecond : (load.rate.fromPerSecond + load.rate.toPerSecond) / 2;
}

// Rounded to microseconds first, so that floating-point noise does not add a millisecond.
function timeFor(agents: number, perSecond: number): number {
  return Math.ceil(wholeMicroseconds((agents / perSecond) * 1000));
}

/** The context of a load in the scenario. */
type LoadContext = {
  readonly start: Fleet['start'];
  readonly startMs: number;
  readonly durationMs: number;
  /** The last cadence of each operation in earlier phases. */
  readonly cadences: ReadonlyMap<Operation, Cadence>;
};

function repeatedLoads(file: PhaseFile, context: LoadContext): readonly Load[] {
  return OPERATIONS.filter((operation) => operation !== 'register').flatMap((operation): readonly Load[] => {
    const load = file[operation];
    if (load === undefined) return [];
    if (!('every' in load)) return [{ operation, model: { ...modelOf(load, context.durationMs), limit: undefined } }];
    const { every: everyMs, jitter = 0, first: firstMs = FIRST_MS[operation] } = load;
    const cadence = { kind: 'cadence' as const, everyMs, jitter, firstMs, ...startsOf(file, load, context) };
    return [{ operation, model: continueCadence(cadence, context.cadences.get(operation)) }];
  });
}

/** In a standing fleet, each operation of an agent has its own grid. An agent that starts begins all its grids at its start. */
function startsOf(
  { checkdata }: PhaseFile,
  { every: everyMs, first, spread }: CadenceLoad,
  { start, startMs }: LoadContext,
): Pick<Cadence, 'standing' | 'spread' | 'originMs' | 'spreadMs'> {
  if (start === 'fresh' || first !== undefined) {
    const checks = checkdata !== undefined && 'every' in checkdata ? checkdata : undefined;
    const own = spread ?? checks?.spread ?? 'random';
    return { standing: false, spread: own, originMs: startMs, spreadMs: checks?.every ?? everyMs };
  }
  if (spread === undefined || spread === 'random') return { standing: true, ...startsLongAgo(everyMs) };
  return { standing: true, spread, originMs: startMs, spreadMs: everyMs };
}

// A cadence that returns in a later phase continues: agents keep their offsets on its grid.
function continueCadence(cadence: Cadence, before: Cadence | undefined): Cadence {
  const isSame =
    before?.everyMs === cadence.everyMs &&
    before.firstMs === cadence.firstMs &&
    before.standing === cadence.standing &&
    before.spread === cadence.spread;
  return isSame ? { ...before, jitter: cadence.jitter } : cadence;
}

/** The inverse of `phasesOf` for one phase. */
export function phaseFile({ name, durationMs, excluded, loads }: Phase, agents: number): PhaseFile {
  const load = traceLoadFile(loads);
  const others = loads.flatMap(({ operation, model }): readonly (readonly [Operation, FleetLoad | CadenceLoad])[] => {
    if (model.kind === 'trace') return [];
    const { limit = agents } = 'limit' in model ? model : {};
    const own = loadFile(model, durationMs);
    return [[operation, limit < agents ? Object.assign(own, { agents: limit }) : own]];
  });
  return {
    name,
    // An endless phase gets the longest valid duration.
    duration: Math.min(durationMs, MAX_DURATION_MS),
    exclude: excluded,
    ...Object.fromEntries(others),
    ...(load && { load }),
  };
}

function loadFile(model: Exclude<LoadModel, { kind: 'trace' }>, durationMs: number): OperationLoad {
  switch (model.kind) {
    case 'rate':
      return { rate: model };
    case 'curve':
      return { rate: curveFile(model.curve, durationMs) };
    case 'concurrency':
      return { concurrency: model.slots };
    case 'cadence': {
      const { everyMs, jitter, spread, standing, firstMs } = model;
      return { every: everyMs, jitter, spread, ...(!standing && { first: firstMs }) };
    }
  }
}

function curveFile(curve: RateCurve, durationMs: number): RateModel {
  const [first, last, ...others] = curve;
  const isRamp = first.atMs === 0 && last?.atMs === durationMs && others.length === 0;
  return isRamp
    ? { kind: 'ramp', fromPerSecond: first.perSecond, toPerSecond: last.perSecond }
    : { kind: 'points', points: curve };
}
