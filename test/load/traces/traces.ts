import fc from 'fast-check';
import { OPERATIONS } from '../../../src/base/protocol/operations.ts';
import type { TraceBytes } from '../../../src/load/traces/reader.ts';
import { MAX_ROW_BYTES, serializeTraceHeader, type TraceRow, writeTraceRow } from '../../../src/load/traces/row.ts';

export function serializeTraceRow(row: TraceRow): string {
  const bytes = Buffer.alloc(MAX_ROW_BYTES);
  return bytes.toString('latin1', 0, writeTraceRow(row, bytes, 0));
}

const START = '2026-11-20T09:00:00.000Z';

type Reading = { readonly name?: string; readonly onRead?: (position: number) => void };

/** A file in memory. `onRead` is called before each read with its position. */
export function bytesOf(
  text: string | Buffer,
  { name = '/traces/incident.trace', onRead = () => {} }: Reading = {},
): TraceBytes {
  const whole = Buffer.from(text);
  return {
    name,
    sizeBytes: whole.length,
    read: (into, position) => {
      onRead(position);
      return whole.copy(into, 0, position);
    },
  };
}

export function traceText(agents: number, rows: readonly Readonly<TraceRow>[]): string {
  return [serializeTraceHeader({ agents, start: START }), ...rows.map(serializeTraceRow)].join('');
}

/** A row with nothing known but its arrival. */
export function row(atUs: number, operation: TraceRow['operation'], agent: number): TraceRow {
  return { atUs, operation, agent, sizeClass: 0, status: 0, responseMs: -1 };
}

/** Any row, within these times and agents. */
export function anyRow({ agents, untilUs }: { readonly agents: number; readonly untilUs: number }) {
  return fc.record<TraceRow>({
    atUs: fc.nat(untilUs),
    operation: fc.constantFrom(...OPERATIONS),
    agent: fc.nat(agents - 1),
    sizeClass: fc.nat(63),
    status: fc.oneof(fc.constant(0), fc.integer({ min: 100, max: 599 })),
    responseMs: fc.oneof(
      fc.constant(-1),
      fc.nat(90_000_000).map((us) => us / 1000),
    ),
  });
}

/** Rows in the order of their times. */
export function anyRows(limits: { readonly agents: number; readonly untilUs: number }, maxLength = 60) {
  return fc.array(anyRow(limits), { maxLength }).map((rows) => rows.toSorted((a, b) => a.atUs - b.atUs));
}
