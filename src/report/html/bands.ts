import { z } from 'zod';
import { parseDuration } from '../../kernel/units.ts';
import type { Summary } from '../../metrics/summary/summary-schema.ts';
import type { Band } from './page-data.ts';

const happening = z.object({ do: z.string(), at: z.string().default('0s'), for: z.string().optional() });
const scenario = z.object({
  target: z.object({ faults: z.array(happening).default([]) }).default({ faults: [] }),
  machine: z.object({ incidents: z.array(happening).default([]) }).default({ incidents: [] }),
});

/** Phases as far as they took place, then faults and incidents of the scenario; what began after the end is left out. */
export function bandsOf({ phases, elapsedMs, scenario: effective }: Summary): Band[] {
  const { target, machine } = scenario.parse(effective);
  const happened = (kind: 'fault' | 'incident') => (what: z.infer<typeof happening>) => bandOf(kind, what, elapsedMs);
  return [
    ...phases
      .filter(({ durationMs }) => durationMs > 0)
      .map(
        ({ name, excluded, startMs, durationMs }): Band => ({
          kind: excluded ? 'excluded' : 'phase',
          label: name,
          fromSeconds: startMs / 1000,
          toSeconds: (startMs + durationMs) / 1000,
        }),
      ),
    ...target.faults.flatMap(happened('fault')),
    ...machine.incidents.flatMap(happened('incident')),
  ];
}

function bandOf(kind: Band['kind'], what: z.infer<typeof happening>, elapsedMs: number): Band[] {
  const fromMs = parseDuration(what.at) ?? 0;
  // Agents that are forgotten are forgotten in an instant; everything else without an end goes on to the end.
  const openMs = what.do === 'forget' ? 0 : elapsedMs;
  const forMs = what.for === undefined ? openMs : (parseDuration(what.for) ?? 0);
  if (fromMs >= elapsedMs) return [];
  const toSeconds = Math.min(fromMs + forMs, elapsedMs) / 1000;
  return [{ kind, label: what.do, fromSeconds: fromMs / 1000, toSeconds }];
}
