import { either, type Frame, integer, type Node, text } from '../document/nodes.ts';

const HOUR_SECONDS = 3600;
const DAY_HOURS = 24;
const WEEK_HOURS = 7 * DAY_HOURS;
const MONTH_HOURS = 30 * DAY_HOURS;

/** How long a container is up, in the rounded words of the container engine: two cells, for the form and its number. */
export function statusNode(first: number): Node {
  const up = (unit: string) => text('Up ', integer(first + 1), ` ${unit}`);
  return either(first, [
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

export function fillStatus(frame: Frame, first: number, seconds: number): void {
  const hours = Math.floor(seconds / HOUR_SECONDS + 0.5);
  if (seconds < 60) put(frame, first, [Math.min(2, Math.floor(seconds)), seconds]);
  else if (seconds < 120) put(frame, first, [3, 1]);
  else if (seconds < HOUR_SECONDS) put(frame, first, [4, seconds / 60]);
  else if (hours === 1) put(frame, first, [5, 1]);
  else if (hours < 2 * DAY_HOURS) put(frame, first, [6, hours]);
  else if (hours < 2 * WEEK_HOURS) put(frame, first, [7, hours / DAY_HOURS]);
  else if (hours < 2 * MONTH_HOURS) put(frame, first, [8, hours / WEEK_HOURS]);
  else put(frame, first, [9, hours / MONTH_HOURS]);
}

function put(frame: Frame, first: number, [form, number]: readonly [number, number]): void {
  frame[first] = form;
  frame[first + 1] = Math.floor(number);
}
