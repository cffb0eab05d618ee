import { textTable } from '../text-table.ts';

/** A service as the registry has it. */
export type WindowsService = {
  readonly name: string;
  readonly display: string;
  readonly start: 'Auto' | 'Manual' | 'Disabled';
  /** `wakes`: started by events from time to time, and gone again some minutes later. */
  readonly state: 'runs' | 'rests' | 'wakes';
  /** A group of `svchost.exe`, or the path of an own program. */
  readonly host: string;
  readonly about: string;
};

const STARTS = { A: 'Auto', M: 'Manual', D: 'Disabled' } as const;
const STATES = { r: 'runs', s: 'rests', w: 'wakes' } as const;

/**
 * Reads lines of `name | display name | code | host | about`. The code is how the service starts (A automatically,
 * M on demand, D not at all) and what it does most of the time (r runs, s is stopped, w wakes now and then). Tables
 * are in the order of importance: short lists take their beginning.
 */
export function windowsServiceTable(lines: string): readonly WindowsService[] {
  return textTable(lines).map(windowsService);
}

/** The fields of such a line. */
export function windowsService([
  name = '',
  display = '',
  code = '',
  host = '',
  about = '',
]: readonly string[]): WindowsService {
  const start = STARTS[code.charAt(0) as keyof typeof STARTS];
  const state = STATES[code.charAt(1) as keyof typeof STATES];
  return { name, display, start, state, host, about };
}
