import { MIB } from '../../../kernel/units.ts';
import type { HostMemory } from '../../common/memory.ts';
import { type Cells, valueAt } from '../../document/cells.ts';
import { float, type Optional, optional } from '../../document/nodes.ts';
import { filling } from '../../incidents/full-disks.ts';
import { type Incident, isRunning, ofKind } from '../../incidents/incident.ts';
import { outageOf, takingDown } from '../../incidents/outages.ts';
import { type Fill, inTurn } from '../../part.ts';
import { secondsSinceEpoch } from '../../time/moment.ts';
import type { PhysicalDisk } from '../checks/disk-io.ts';
import { processNode } from '../checks/process-entry.ts';
import type { Volume } from '../checks/volumes.ts';
import { programOf } from '../data/program-table.ts';
import type { ServiceLine } from '../data/service-table.ts';
import type { Wake } from './wakes.ts';

/** The volumes of a host, each with the incidents that fill it. */
export function withFullDisks(volumes: readonly Volume[], incidents: readonly Incident[]): readonly Volume[] {
  const full = ofKind(incidents, 'disk-full');
  return volumes.map((volume) => ({ ...volume, filledBy: filling(full, volume.letter, 'C:') }));
}

/** The disks under them, which are not written to meanwhile. */
export function withStalls(disks: readonly PhysicalDisk[], volumes: readonly Volume[]): readonly PhysicalDisk[] {
  return disks.map((disk) => {
    const on = volumes.filter(({ letter }) => disk.name.split(' ').includes(letter));
    return { ...disk, stalledBy: on.flatMap(({ filledBy = [] }) => filledBy) };
  });
}

/** Without the full disks that this host does not have. */
export function possible(incidents: readonly Incident[], volumes: readonly Volume[]): readonly Incident[] {
  const letters = volumes.map(({ letter }) => letter);
  return incidents.filter((incident) => {
    return incident.kind !== 'disk-full' || letters.includes(incident.mountpoint ?? 'C:');
  });
}

/**
 * Running services that incidents stop: to the rest of a host they are services that wake, which sleep meanwhile. Since
 * boot they have been awake from second 0, which stands for the usual start.
 */
export function stopsOf(lines: readonly ServiceLine[], incidents: readonly Incident[], cells: Cells) {
  const stops = lines.flatMap((line) => {
    const causes = line.state === 'runs' ? takingDown(incidents, line.name) : [];
    return causes.length === 0 ? [] : [{ line, ...cells.row('awake', 'since'), causes }];
  });
  const wakes: readonly Wake[] = stops;
  const fill: Fill = (frame, moment) => {
    for (const { awake, since, causes } of stops) {
      const { down, restoredMs } = outageOf(causes, moment);
      frame[awake] = down ? 0 : 1;
      frame[since] = restoredMs === 0 ? 0 : secondsSinceEpoch(restoredMs);
    }
  };
  return { wakes, fill };
}

/** Numbers of what was started anew lie above all others, in an order of their own. */
export function restartedPid(pid: number, restoredMs: number): number {
  return 4 * (RESTARTED_PIDS + 5 * Math.floor(pid / 4) + (Math.floor(restoredMs / 1000) % 5));
}

const RESTARTED_PIDS = 60_000;
const RUNAWAY_PIDS = 50_000;
const RUNAWAY = programOf(String.raw`C:\Program Files\Shop\report.exe --all`);
const RUNAWAY_MIB = 60;

export type RunawayInput = { readonly incidents: readonly Incident[]; readonly memory: HostMemory };

/** The processes that take what the cores have left, one for each such incident. */
export function runawayProcesses({ incidents, memory }: RunawayInput, cells: Cells) {
  const workingSet = RUNAWAY_MIB * MIB;
  const saturating = ofKind(incidents, 'cpu-saturated');
  const parts = saturating.map((incident, index) => {
    const row = cells.row('present', 'cpu', 'memoryPercent');
    const node = processNode({
      pid: 4 * (RUNAWAY_PIDS + index),
      ppid: 4,
      program: { ...RUNAWAY, memoryMib: RUNAWAY_MIB, handles: 210, work: 0 },
      cpu: float(row.cpu),
      memoryPercent: float(row.memoryPercent),
      handles: 210,
      workingSet,
      privateWorkingSet: workingSet,
      privateBytes: workingSet,
      created: Math.floor(incident.fromMs / 1000),
    });
    const fill: Fill = (frame, moment) => {
      const runs = saturating.filter((it) => moment.incidents.includes(it) && isRunning(it, moment.checkMs));
      frame[row.present] = runs.includes(incident) ? 1 : 0;
      frame[row.cpu] = Math.floor((100 * (1 - moment.ownBusy)) / Math.max(1, runs.length));
      frame[row.memoryPercent] = (workingSet / valueAt(frame, memory.total)) * 100;
    };
    return { node: optional(row.present, node), fill };
  });
  const nodes: readonly Optional[] = parts.map(({ node }) => node);
  return { nodes, fill: inTurn(parts.map(({ fill }) => fill)) };
}
