import type { ClusterMachine } from '../../metrics/merging/cluster-machine.ts';
import { latencyText, rateText, shareText } from './figures.ts';

/** How a machine of a cluster kept up, as text for terminals and pages; `undefined`: not known. */
const FIGURES = {
  rate: ({ figures }) => figures && `${rateText(figures.startedPerSecond)}/s`,
  'scheduling delay p99': ({ figures }) => latencyOrNone(figures?.schedulingDelayP99Ms),
  'longest stall': ({ figures }) => latencyOrNone(figures?.stalledMs),
  'busiest worker': ({ figures }) => figures && shareText(figures.busiestLoopUtilization),
  'cores used': ({ figures }) => figures?.usedCores.toFixed(2),
  clock: ({ clockOffsetMs, clockErrorMs = 0 }) =>
    clockOffsetMs === undefined
      ? undefined
      : `${clockOffsetMs < 0 ? '' : '+'}${clockOffsetMs.toFixed(1)} ± ${clockErrorMs.toFixed(1)} ms`,
  NATS: ({ natsMs }) => latencyOrNone(natsMs),
} as const satisfies Readonly<Record<string, (machine: ClusterMachine) => string | undefined>>;

type MachineFigure = keyof typeof FIGURES;

function latencyOrNone(milliseconds: number | undefined): string | undefined {
  return milliseconds === undefined ? undefined : latencyText(milliseconds);
}

export const MACHINE_HEADINGS = Object.keys(FIGURES) as readonly MachineFigure[];

export function machineCell(machine: ClusterMachine, heading: MachineFigure): string {
  return FIGURES[heading](machine) ?? '–';
}

/** A cell for each heading. */
export function machineCells(machine: ClusterMachine): readonly string[] {
  return MACHINE_HEADINGS.map((heading) => machineCell(machine, heading));
}

/** The known figures in one line: `25.0/s, scheduling delay p99 1.20 ms, …`. */
export function machineFiguresText(machine: ClusterMachine): string {
  const texts = MACHINE_HEADINGS.flatMap((heading) => {
    const text = FIGURES[heading](machine);
    return text === undefined ? [] : [heading === 'rate' ? text : `${heading} ${text}`];
  });
  return texts.join(', ');
}

/** Lost ones, then those that kept up worst. */
export function worstFirst(machines: readonly ClusterMachine[]): readonly ClusterMachine[] {
  const delayMs = ({ figures }: ClusterMachine): number => figures?.schedulingDelayP99Ms ?? 0;
  return machines.toSorted(
    (a, b) => Number(a.toMs === undefined) - Number(b.toMs === undefined) || delayMs(b) - delayMs(a),
  );
}
