import type { ClusterMachine } from '../../metrics/merging/cluster-machine.ts';
import { latencyText, rateText, shareText } from './figures.ts';

// How each machine of a cluster kept up, as text for terminals and pages.

export const MACHINE_HEADINGS = [
  ...['rate', 'scheduling delay p99', 'longest stall', 'busiest worker', 'cores used', 'clock', 'NATS'],
] as const;

/** A cell for each heading. */
export function machineCells(machine: ClusterMachine): readonly string[] {
  const { figures, natsMs, clockOffsetMs, clockErrorMs = 0 } = machine;
  const offset =
    clockOffsetMs === undefined
      ? '–'
      : `${clockOffsetMs < 0 ? '' : '+'}${clockOffsetMs.toFixed(1)} ± ${clockErrorMs.toFixed(1)} ms`;
  const own =
    figures === undefined
      ? ['–', '–', '–', '–', '–']
      : [
          `${rateText(figures.startedPerSecond)}/s`,
          figures.schedulingDelayP99Ms === undefined ? '–' : latencyText(figures.schedulingDelayP99Ms),
          latencyText(figures.stalledMs),
          shareText(figures.busiestLoopUtilization),
          figures.usedCores.toFixed(2),
        ];
  return [...own, offset, natsMs === undefined ? '–' : latencyText(natsMs)];
}

/** The same in one line: `25.0/s, scheduling delay p99 1.20 ms, …`. */
export function machineFiguresText(machine: ClusterMachine): string {
  const [rate = '', ...others] = machineCells(machine);
  return [rate, ...others.map((cell, n) => `${MACHINE_HEADINGS[n + 1]} ${cell}`)]
    .filter((text) => !text.endsWith('–'))
    .join(', ');
}

/** Lost ones, then those that kept up worst. */
export function worstFirst(machines: readonly ClusterMachine[]): readonly ClusterMachine[] {
  const delayMs = ({ figures }: ClusterMachine): number => figures?.schedulingDelayP99Ms ?? 0;
  return machines.toSorted(
    (a, b) => Number(a.toMs === undefined) - Number(b.toMs === undefined) || delayMs(b) - delayMs(a),
  );
}
