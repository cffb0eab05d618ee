import type { Cells } from '../document/cells.ts';
import { type Optional, optional, tenths } from '../document/nodes.ts';
import { type Incident, isRunning, ofKind } from '../incidents/incident.ts';
import { type Fill, inTurn } from '../part.ts';
import { MIB, memoryTenths, processNode } from './process-entry.ts';

export type RunawayInput = {
  readonly incidents: readonly Incident[];
  readonly cores: number;
  readonly memoryBytes: number;
  readonly firstPid: number;
};

const RUNAWAY = { user: 'root', command: '/usr/bin/python3 /opt/shop/bin/report.py --all', virtualMib: 210 };
const RESIDENT_MIB = 60;

/** The processes that take what the cores have left, one for each such incident. */
export function runawayProcesses({ incidents, cores, memoryBytes, firstPid }: RunawayInput, cells: Cells) {
  const rss = RESIDENT_MIB * MIB;
  const memory = memoryTenths(rss, memoryBytes) / 10;
  const parts = ofKind(incidents, 'cpu-saturated').map((incident, index) => {
    const { present, cpu } = cells.row('present', 'cpu');
    const own = { pid: firstPid + index, ppid: 1, daemon: RUNAWAY, cpu: tenths(cpu), memory, rss, status: 'Running' };
    const fill: Fill = (frame, moment) => {
      frame[present] = moment.incidents.includes(incident) && isRunning(incident, moment.checkMs) ? 1 : 0;
      frame[cpu] = Math.round(1000 * cores * (1 - moment.busyMinute));
    };
    return { node: optional(present, processNode(own)), fill };
  });
  const nodes: readonly Optional[] = parts.map(({ node }) => node);
  return { nodes, fill: inTurn(parts.map(({ fill }) => fill)) };
}
