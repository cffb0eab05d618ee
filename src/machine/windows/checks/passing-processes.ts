import { pages } from '../../common/memory.ts';
import type { Cell, Cells, Frame, Row } from '../../document/cells.ts';
import { either, integer, type Optional, optional } from '../../document/nodes.ts';
import type { Fill } from '../../part.ts';
import { EPOCH_SECONDS } from '../../time/activity.ts';
import { keyOf, type Moment, secondsSinceEpoch, streamLabel } from '../../time/moment.ts';
import { unit } from '../../time/noise.ts';
import { PASSING_PROGRAMS } from '../data/programs.ts';
import { MIB, processNode } from './process-entry.ts';

const PASSING = streamLabel('processes.passing');
const PLACE = ['present', 'kind', 'pid', 'created'] as const;
/** So many numbers belong to a place, so that no two processes ever share one. */
const PID_RANGE = 90;

type PassingInput = {
  readonly count: number;
  readonly firstPid: number;
  readonly parentPid: Cell;
  readonly memoryBytes: number;
};

/** Processes with a life of minutes, each place with an own rhythm. */
export function passingPart(input: PassingInput, cells: Cells): { nodes: readonly Optional[]; fill: Fill } {
  const { count, memoryBytes } = input;
  const rows = Array.from({ length: count }, () => cells.row(...PLACE));
  const nodes = rows.map(({ present, kind, pid, created }) => {
    const forms = PASSING_PROGRAMS.map((program) => {
      const held = pages(program.memoryMib * MIB);
      return processNode({
        pid: integer(pid),
        ppid: integer(input.parentPid),
        program,
        cpu: 0,
        memoryPercent: (held / memoryBytes) * 100,
        handles: program.handles,
        workingSet: pages(held * 2.3),
        privateWorkingSet: held,
        privateBytes: pages(held * 1.2),
        created: integer(created),
      });
    });
    return optional(present, either(kind, forms));
  });
  const fill: Fill = (frame, moment) => {
    for (const [place, row] of rows.entries()) fillPlace(frame, row, { moment, place, input });
  };
  return { nodes, fill };
}

type PlaceContext = { readonly moment: Moment; readonly place: number; readonly input: PassingInput };

function fillPlace(frame: Frame, row: Row<(typeof PLACE)[number]>, { moment, place, input }: PlaceContext): void {
  const key = keyOf(moment.hostKey, PASSING) + place;
  const life = 40 * 2 ** (place % 7);
  const window = Math.floor(secondsSinceEpoch(moment.checkMs) / life);
  const start = window * life;
  const here = unit(key, window) < 0.6 && start > secondsSinceEpoch(moment.bootMs) + 60;
  frame[row.present] = here ? 1 : 0;
  frame[row.kind] = Math.floor(unit(key, ~window) * PASSING_PROGRAMS.length);
  // Odd numbers follow even ones, so that no process has the number of the one before it.
  const number = 2 * Math.floor((PID_RANGE / 2) * unit(key + 1, window)) + (window & 1);
  frame[row.pid] = input.firstPid + 4 * (PID_RANGE * place + number);
  frame[row.created] = EPOCH_SECONDS + start;
}
