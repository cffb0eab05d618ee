import { writtenDelay } from '../../faults/delay.ts';
import type { Fault } from '../../faults/fault.ts';
import { formatDuration } from '../../kernel/units.ts';
import type { Incident } from '../../machine/incidents/incident.ts';
import { percentOf } from '../../notation/share.ts';
import { OPERATIONS } from '../../protocol/operations.ts';
import type { PlannedEvent } from '../../scenario/planning/plan.ts';
import { textTable } from './text-table.ts';

/** What goes wrong on purpose, line by line, and to how many of the agents; empty if nothing does. */
export function eventTable(events: readonly PlannedEvent[], agents: number, columns: number): readonly string[] {
  if (events.length === 0) return [];
  return textTable([['goes wrong', 'for', 'what', 'on'], ...events.map((event) => eventRow(event, agents))], columns);
}

function eventRow(event: PlannedEvent, agents: number): string[] {
  const when = [`at ${formatDuration(event.atMs)}`, event.forMs === undefined ? 'the rest' : durationText(event.forMs)];
  if (event.kind === 'fault') return [...when, faultText(event.fault), scopeText(event.fault)];
  return [...when, incidentText(event.incident), `${event.agents} of ${agents} agents`];
}

function durationText(forMs: number): string {
  return forMs === 0 ? '' : formatDuration(forMs);
}

function incidentText(incident: Incident): string {
  switch (incident.kind) {
    case 'disk-full':
      return `disk-full ${incident.mountpoint ?? ''}`.trimEnd();
    case 'service-down':
      return `service-down ${incident.service}`;
    case 'clock-skew':
      return `clock-skew ${incident.offsetSeconds} s`;
    case 'check-error':
      return `check-error ${incident.check}`;
    default:
      return incident.kind;
  }
}

function faultText(fault: Fault): string {
  switch (fault.do) {
    case 'latency':
      return `latency ${delayText(writtenDelay(fault.delay))}`;
    case 'status':
      return `status ${fault.status}`;
    case 'reset':
      return fault.processed ? 'reset after processing' : 'reset';
    case 'content-type':
      return `content-type ${fault.contentType}`;
    case 'drip':
      return `drip ${fault.bytesPerSecond} bytes/s`;
    case 'connection-limit':
      return `connection-limit ${fault.connections}`;
    default:
      return fault.do;
  }
}

function delayText(delay: ReturnType<typeof writtenDelay>): string {
  if (typeof delay === 'string') return delay;
  return Object.entries(delay)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

function scopeText(fault: Fault): string {
  if (fault.do === 'forget') return `${percentOf(fault.share)} of the registrations`;
  if (!('operations' in fault)) return 'the server';
  const operations = fault.operations.length === OPERATIONS.length ? '' : `: ${fault.operations.join(', ')}`;
  return `${percentOf(fault.share)} of the requests${operations}`;
}
