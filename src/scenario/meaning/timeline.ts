import { wholeMicroseconds } from '../../kernel/units.ts';
import { type Load, type LoadModel, type Phase, timelineEndMs } from '../../load/timeline.ts';
import { OPERATIONS, type Operation } from '../../protocol/operations.ts';
import type { OperationLoad, RegisterLoad } from '../schema/load.ts';
import type { PhaseFile } from '../schema/scenario-file.ts';

/** From an agent's start to its first arrival where the file does not say (docs/protocol.md, "When things are sent"). */
const FIRST_MS = { authorize: 0, checkdata: 0, packages: 90_000 } as const;

type Cadence = Extract<LoadModel, { kind: 'cadence' }>;
type Repeated = Exclude<Operation, 'register'>;

/** Places the phases one after another and gives every load its numbers. */
export function timelineOf(files: readonly PhaseFile[], agents: number): readonly Phase[] {
  const phases: Phase[] = [];
  for (const file of files) {
    const last = phases.at(-1);
    const startMs = timelineEndMs(phases);
    const loads = [...registerLoads(file, agents), ...repeatedLoads(file, startMs, last?.loads ?? [])];
    phases.push({
      name: file.name,
      startMs,
      durationMs: file.duration ?? registrationMs(loads[0]?.model, agents),
      excluded: file.exclude,
      loads,
    });
  }
  return phases;
}

function registerLoads({ register }: PhaseFile, agents: number): readonly Load[] {
  return register === undefined ? [] : [{ operation: 'register', model: registerModel(register, agents) }];
}

function registerModel(load: RegisterLoad, agents: number): LoadModel {
  if (load.kind === 'over') return { kind: 'rate', ratePerSecond: agents / (load.overMs / 1000), limit: agents };
  return { ...load, limit: agents };
}

/** How long a registration of all agents takes, in whole milliseconds, rounded up. */
function registrationMs(model: LoadModel | undefined, agents: number): number {
  if (model?.kind === 'rate') return timeFor(agents, model.ratePerSecond);
  if (model?.kind === 'ramp') return timeFor(agents, (model.fromPerSecond + model.toPerSecond) / 2);
  throw new Error('the schema let a phase without a duration pass');
}

// Rounded first, so that a hair beyond a whole millisecond is not a millisecond more.
function timeFor(agents: number, perSecond: number): number {
  return Math.ceil(wholeMicroseconds((agents / perSecond) * 1000));
}

function repeatedLoads(file: PhaseFile, startMs: number, before: readonly Load[]): readonly Load[] {
  const checkdata = file.checkdata?.kind === 'cadence' ? file.checkdata.everyMs : undefined;
  return OPERATIONS.filter((operation) => operation !== 'register').flatMap((operation): readonly Load[] => {
    const load = file[operation];
    if (load === undefined) return [];
    if (load.kind !== 'cadence') return [{ operation, model: { ...load, limit: undefined } }];
    const cadence = { ...cadenceOf(operation, load), originMs: startMs, spreadMs: checkdata ?? load.everyMs };
    return [{ operation, model: continued(cadence, before.find((other) => other.operation === operation)?.model) }];
  });
}

function cadenceOf(operation: Repeated, load: Extract<OperationLoad, { kind: 'cadence' }>) {
  return { ...load, firstMs: load.firstMs ?? FIRST_MS[operation] };
}

// The same cadence in the next phase is the same cadence: agents keep their places on it.
function continued(cadence: Cadence, before: LoadModel | undefined): Cadence {
  const isSame =
    before?.kind === 'cadence' &&
    before.everyMs === cadence.everyMs &&
    before.jitter === cadence.jitter &&
    before.firstMs === cadence.firstMs;
  return isSame ? before : cadence;
}
