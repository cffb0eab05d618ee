import { MIB } from '../../../kernel/units.ts';
import { type HostMemory, pages } from '../../common/memory.ts';
import { shortLivedProcesses } from '../../common/short-lived-processes.ts';
import { type Cell, type Cells, valueAt } from '../../document/cells.ts';
import { either, float, integer, type Optional, optional } from '../../document/nodes.ts';
import { type Fill, inTurn } from '../../part.ts';
import { keyOf, streamLabel } from '../../time/moment.ts';
import { unit } from '../../time/noise.ts';
import { PASSING_PROGRAMS } from '../data/programs.ts';
import { processNode } from './process-entry.ts';

const PASSING = streamLabel('processes.passing');
/** So many numbers belong to a place, so that no two processes ever share one. */
const PID_RANGE = 90;

type PassingInput = {
  readonly count: number;
  readonly firstPid: number;
  readonly parentPid: Cell;
  readonly memory: HostMemory;
};

/** Processes with a life of minutes. */
export function passingPart(input: PassingInput, cells: Cells): { nodes: readonly Optional[]; fill: Fill } {
  const { count, firstPid, parentPid, memory } = input;
  const short = shortLivedProcesses(
    {
      count,
      kinds: PASSING_PROGRAMS.length,
      lifeSeconds: (place) => 40 * 2 ** (place % 7),
      // Odd numbers follow even ones, so that no process has the number of the one before it.
      pid: ({ moment, place, turn }) => {
        const chance = unit(keyOf(moment.hostKey, PASSING) + place, turn);
        return firstPid + 4 * (PID_RANGE * place + 2 * Math.floor((PID_RANGE / 2) * chance) + (turn & 1));
      },
    },
    cells,
  );
  const programs = PASSING_PROGRAMS.map((program) => {
    return { program, held: pages(program.memoryMib * MIB), share: cells.one() };
  });
  const nodes = short.rows.map(({ present, kind, pid, created }) => {
    const forms = programs.map(({ program, held, share }) => {
      return processNode({
        pid: integer(pid),
        ppid: integer(parentPid),
        program,
        cpu: 0,
        memoryPercent: float(share),
        handles: program.handles,
        workingSet: pages(held * 2.3),
        privateWorkingSet: held,
        privateBytes: pages(held * 1.2),
        created: integer(created),
      });
    });
    return optional(present, either(kind, forms));
  });
  const fill: Fill = (frame) => {
    for (const { held, share } of programs) frame[share] = (held / valueAt(frame, memory.total)) * 100;
  };
  return { nodes, fill: inTurn([short.fill, fill]) };
}
