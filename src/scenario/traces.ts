import { resolve } from 'node:path';
import { z } from 'zod';
import { formatDuration } from '../base/kernel/units.ts';
import { type Finding, valueFinding } from '../base/notation/finding.ts';
import { anyDuration, wholeNumberFrom } from '../base/notation/quantities.ts';
import { filledText, section } from '../base/notation/section.ts';
import { OPERATIONS } from '../base/protocol/operations.ts';
import { type Load, type LoadModel, type Phase, traceOf } from '../load/timeline.ts';
import { type OpenTrace, openTrace, type TraceBytes } from '../load/traces/reader.ts';
import { countTrace, traceStretch } from '../load/traces/stretch.ts';

const SPEED = 'a number from 0.01 to 1000';

export const traceLoad = section({
  trace: filledText.meta({
    description: 'File, relative to this one; in a cluster, at the same path on every machine.',
    examples: ['incident.trace'],
  }),
  speed: z
    .number(SPEED)
    .min(0.01, SPEED)
    .max(1000, SPEED)
    .default(1)
    .meta({ description: '1: as fast as in the log.', examples: [1, 10] }),
  from: anyDuration.optional().meta({
    description: 'Where in the trace the phase begins. Left out: where the last phase with it ended.',
    examples: ['10m'],
  }),
  bytes: wholeNumberFrom(1)
    .optional()
    .meta({
      description: 'Size of the file. Left out: any.',
      examples: [26_214_400],
    }),
}).meta({
  title: 'trace',
  description:
    'Arrivals exactly at the times of a trace, each of its own agent; an agent with a password does not register again.',
  examples: [{ trace: 'incident.trace' }, { trace: 'incident.trace', speed: 10, from: '10m' }],
});

export type TraceLoad = z.output<typeof traceLoad>;

type PhaseWithTrace = { readonly duration?: number | undefined; readonly load?: TraceLoad | undefined };

/** Opens a trace by its absolute path. Throws `UserError` if it is unreadable. */
export type OpenTraceFile = (path: string) => TraceBytes & { readonly close: () => void };

/** The traces of a scenario, by the name that the scenario gives them. */
export type Traces = {
  readonly pathOf: (name: string) => string;
  /** `undefined` if files are not read. */
  readonly of: (name: string) => (OpenTrace & { readonly sizeBytes: number }) | undefined;
  readonly close: () => void;
};

/**
 * Opens the traces of phases, whose names are relative to a folder. Without `open`, as for a finished run, none are read.
 * @throws UserError if one is unreadable, or does not begin like a trace
 */
export function openTraces(phases: readonly PhaseWithTrace[], folder: string, open?: OpenTraceFile): Traces {
  const pathOf = (name: string) => resolve(folder, name);
  const files = new Map<string, ReturnType<OpenTraceFile>>();
  const traces = new Map<string, OpenTrace & { readonly sizeBytes: number }>();
  const close = () => {
    for (const file of files.values()) file.close();
  };
  try {
    for (const path of new Set(phases.flatMap(({ load }) => (load === undefined ? [] : [pathOf(load.trace)])))) {
      const file = open?.(path);
      if (file === undefined) continue;
      files.set(path, file);
      traces.set(path, { ...openTrace(file), sizeBytes: file.sizeBytes });
    }
  } catch (error) {
    close();
    throw error;
  }
  return { pathOf, of: (name) => traces.get(pathOf(name)), close };
}

/** Where each phase begins in its trace, in milliseconds, and how long it lasts in the run. */
export type TraceSection = { readonly fromMs: number; readonly durationMs: number };

/** A phase without a duration lasts to the end of its trace; 0 or less if it begins there, `NaN` if that is not known. */
export function sectionsOfTraces<Phase extends PhaseWithTrace>(
  phases: readonly Phase[],
  traces: Traces,
): ReadonlyMap<Phase, TraceSection> {
  const reached = new Map<string, number>();
  const sections = new Map<Phase, TraceSection>();
  for (const phase of phases) {
    if (phase.load === undefined) continue;
    const { trace, speed, from } = phase.load;
    const fromMs = from ?? reached.get(traces.pathOf(trace)) ?? 0;
    const lastMs = (traces.of(trace)?.lastUs ?? Number.NaN) / 1000;
    const durationMs = phase.duration ?? Math.floor((lastMs - fromMs) / speed) + 1;
    reached.set(traces.pathOf(trace), fromMs + durationMs * speed);
    sections.set(phase, { fromMs, durationMs });
  }
  return sections;
}

export function traceLoads({ trace, speed, bytes }: TraceLoad, fromMs: number, traces: Traces): readonly Load[] {
  const { sizeBytes = bytes } = traces.of(trace) ?? {};
  const model = { kind: 'trace' as const, file: traces.pathOf(trace), sizeBytes, fromMs, speed, counts: undefined };
  return OPERATIONS.map((operation) => ({ operation, model }));
}

/** The inverse of `traceLoads`; `undefined` for a phase without a trace. */
export function traceLoadFile(loads: readonly Load[]): TraceLoad | undefined {
  const model = traceOf({ loads });
  if (model === undefined) return undefined;
  const { file, sizeBytes, fromMs, speed } = model;
  return { trace: file, speed, from: fromMs, bytes: sizeBytes };
}

/** Conflicts of phases with the files of their traces. */
export function traceFindings(
  { phases, fleet }: { readonly phases: readonly PhaseWithTrace[]; readonly fleet: { readonly agents: number } },
  traces: Traces,
): readonly Finding[] {
  const sections = sectionsOfTraces(phases, traces);
  return phases.flatMap((phase, index): readonly Finding[] => {
    const [{ load }, section] = [phase, sections.get(phase)];
    if (load === undefined || section === undefined) return [];
    const trace = traces.of(load.trace);
    if (trace !== undefined) return fileFindingsOf(load, { ...section, ...trace, index, agents: fleet.agents });
    return phase.duration === undefined ? [valueFinding(['phases', index], 'a duration', 'none')] : [];
  });
}

function fileFindingsOf(
  { bytes, trace }: TraceLoad,
  { index, agents, ...found }: NonNullable<ReturnType<Traces['of']>> & TraceSection & { index: number; agents: number },
): readonly Finding[] {
  const { header, lastUs, sizeBytes, fromMs, durationMs } = found;
  const path = ['phases', index, 'load', 'trace'];
  if (bytes !== undefined && bytes !== sizeBytes)
    return [valueFinding(path, `the trace with ${bytes} bytes`, `one with ${sizeBytes}`)];
  if (header.agents > agents)
    return [valueFinding(['fleet', 'agents'], `at least ${header.agents}, the agents of ${trace}`, `${agents}`)];
  if (durationMs > 0) return [];
  const end = lastUs < 0 ? 'a trace without rows' : `its end at ${formatDuration(lastUs / 1000)}`;
  return [valueFinding(path, `rows after ${formatDuration(fromMs)}, where the phase begins`, end)];
}

type TraceModel = NonNullable<ReturnType<typeof traceOf>>;

/** The phases with the counts of their traces, read as a whole. @throws UserError for the first row that is none, or precedes the one before */
export function withTraceCounts(phases: readonly Phase[], traces: Traces): readonly Phase[] {
  const counted = new Map<Phase, ReturnType<typeof countTrace>[number]>();
  for (const file of new Set(phases.flatMap((phase) => traceOf(phase)?.file ?? []))) {
    const trace = traces.of(file);
    if (trace === undefined) continue;
    const own = phases.filter((phase) => traceOf(phase)?.file === file);
    const stretches = own.map((phase) => traceStretch(traceOf(phase) as TraceModel, phase));
    for (const [index, count] of countTrace(trace, stretches).entries()) counted.set(own[index] as Phase, count);
  }
  return phases.map((phase) => {
    const counts = counted.get(phase);
    if (counts === undefined) return phase;
    const loads = phase.loads.map(({ operation, model }) => {
      return { operation, model: { ...model, counts: counts[operation] } as LoadModel };
    });
    return { ...phase, loads };
  });
}
