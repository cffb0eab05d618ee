import { formatDuration } from '../kernel/units.ts';
import { writtenDelay } from './delay.ts';
import type { Fault } from './fault.ts';
import type { FaultInput } from './schema.ts';

/** The section that reads as this fault. */
export function writtenFault(fault: Fault): FaultInput {
  if (fault.do === 'forget') return { do: fault.do, at: formatDuration(fault.atMs), share: fault.share };
  const { atMs, forMs, ...what } = fault;
  const when = { at: formatDuration(atMs), ...(forMs !== undefined && { for: formatDuration(forMs) }) };
  if (!('operations' in what)) return { ...what, ...when };
  const request = { operations: [...what.operations], ...when };
  return what.do === 'latency' ? { ...what, delay: writtenDelay(what.delay), ...request } : { ...what, ...request };
}
