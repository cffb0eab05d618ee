import { formatDuration } from '../../base/kernel/units.ts';
import { MEASURED_OPERATIONS } from '../../base/protocol/operations.ts';
import type { MachineLoad } from '../merging/cluster-machine.ts';
import { rounded } from '../recording/histogram.ts';
import { highest, worstFigures } from './validity.ts';
import type { OperationValidity, PhaseValidity, Validity, ValidityLimits } from './validity-schema.ts';

/** Shards that start further apart than this produce a load that no single run would. */
const APART_LIMIT_MS = 1000;

/** A run of one part of a fleet, judged by its own figures. */
type JudgedShard = {
  readonly number: number;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly validity: Validity;
};

/** Merges the validity of all shards of a run. One invalid shard makes the whole run invalid, and each figure is that of the worst shard. */
export function mergeValidity(
  shards: readonly JudgedShard[],
  { limits, machine }: { readonly limits: ValidityLimits; readonly machine: MachineLoad | undefined },
): Validity {
  const phases = shards.flatMap(({ number, validity }) =>
    validity.phases.map((phase) => ({
      ...phase,
      problems: phase.problems.map((text) => ofShard(number, shards, text)),
    })),
  );
  const textsOf = (texts: (validity: Validity) => readonly string[]) =>
    shards.flatMap(({ number, validity }) => texts(validity).map((text) => ofShard(number, shards, text)));
  return {
    ...worstFigures(phases),
    stalledMs: Math.max(0, ...shards.map(({ validity }) => validity.stalledMs)),
    limits,
    phases: worstPhases(phases),
    machine,
    problems: textsOf(({ problems }) => problems),
    warnings: [...textsOf(({ warnings }) => warnings), ...apartWarnings(shards)],
  };
}

function ofShard(number: number, shards: readonly unknown[], text: string): string {
  return `shard ${number} of ${shards.length}: ${text}`;
}

function worstPhases(all: readonly PhaseValidity[]): PhaseValidity[] {
  return [...Map.groupBy(all, ({ phase }) => phase)].map(([phase, parts]) => ({
    phase,
    stalledMs: Math.max(...parts.map((part) => part.stalledMs)),
    leftOutMs: rounded(parts.reduce((sum, part) => sum + part.leftOutMs, 0) / parts.length),
    busiestLoopUtilization: highest(parts.map(({ busiestLoopUtilization }) => busiestLoopUtilization)),
    collectionShare: highest(parts.map(({ collectionShare }) => collectionShare)),
    operations: worstOperations(parts.flatMap(({ operations }) => operations)),
    problems: parts.flatMap(({ problems }) => problems),
  }));
}

function worstOperations(all: readonly OperationValidity[]): OperationValidity[] {
  return MEASURED_OPERATIONS.flatMap((operation) => {
    const parts = all.filter((part) => part.operation === operation);
    if (parts.length === 0) return [];
    const worst = {
      schedulingDelayP99Ms: Math.max(...parts.map((part) => part.schedulingDelayP99Ms)),
      schedulingDelayMaxMs: Math.max(...parts.map((part) => part.schedulingDelayMaxMs)),
    };
    const arrivals = parts.reduce((sum, part) => sum + part.arrivals, 0);
    return [{ operation, arrivals, ...worst, valid: parts.every(({ valid }) => valid) }];
  });
}

function apartWarnings(shards: readonly JudgedShard[]): string[] {
  const starts = shards.map(({ startedAt }) => Date.parse(startedAt));
  const apartMs = Math.max(...starts) - Math.min(...starts);
  if (apartMs <= APART_LIMIT_MS) return [];
  return [
    `the shards started ${formatDuration(Math.round(apartMs / 100) * 100)} apart, but the merge aligns their seconds; ` +
      'start them together with --start-at',
  ];
}
