import { HOUR_SECONDS } from '../../kernel/units.ts';
import type { CellValues, Row } from '../document/cells.ts';
import { either, integer, type Node, text } from '../document/nodes.ts';

const DAY_HOURS = 24;
const WEEK_HOURS = 7 * DAY_HOURS;
const MONTH_HOURS = 30 * DAY_HOURS;

export type StatusCells = Row<'form' | 'count'>;

/** How long a container is up, in the rounded words of the container engine: which of the forms, and its number. */
export function statusNode({ form, count }: StatusCells): Node {
  const up = (unit: string) => text('Up ', integer(count), ` ${unit}`);
  return either(form, [
    'Up Less than a second',
    'Up 1 second',
    up('seconds'),
    'Up About a minute',
    up('minutes'),
    'Up About an hour',
    up('hours'),
    up('days'),
    up('weeks'),
    up('months'),
  ]);
}

export function fillStatus(frame: CellValues, cells: StatusCells, seconds: number): void {
  const hours = Math.floor(seconds / HOUR_SECONDS + 0.5);
  if (seconds < 60) put(frame, cells, [Math.min(2, Math.floor(seconds)), seconds]);
  else if (seconds < 120) put(frame, cells, [3, 1]);
  else if (seconds < HOUR_SECONDS) put(frame, cells, [4, seconds / 60]);
  else if (hours === 1) put(frame, cells, [5, 1]);
  else if (hours < 2 * DAY_HOURS) put(frame, cells, [6, hours]);
  else if (hours < 2 * WEEK_HOURS) put(frame, cells, [7, hours / DAY_HOURS]);
  else if (hours < 2 * MONTH_HOURS) put(frame, cells, [8, hours / WEEK_HOURS]);
  else put(frame, cells, [9, hours / MONTH_HOURS]);
}

function put(frame: CellValues, { form, count }: StatusCells, [which, number]: readonly [number, number]): void {
  frame[form] = which;
  frame[count] = Math.floor(number);
}
