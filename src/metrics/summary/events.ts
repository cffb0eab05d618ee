import { z } from 'zod';

export const eventSummarySchema = z.strictObject({
  name: z.string(),
  do: z.string().describe('what happened'),
  agents: z.int().nonnegative().describe('affected agents, each counted once'),
  fromMs: z.number().nonnegative().describe('first start, since the start of the run'),
  toMs: z.number().nonnegative().describe('planned end of the first occurrence, for its last agent'),
  untilMs: z.number().nonnegative().optional().describe('when it was ended early; absent if it was not'),
  resumedMs: z
    .array(z.number().nonnegative())
    .optional()
    .describe('for each occurrence that started agents again: when the last one had its first result; 0 for others'),
});

export type EventSummary = Readonly<z.infer<typeof eventSummarySchema>>;

/** Adds up the events of parts of a fleet, in the same order. A part that started later may lack events that had already ended. */
export function sumEvents<Event extends EventSummary>(parts: readonly (readonly Event[])[]): Event[] {
  const [most = []] = parts.toSorted((a, b) => b.length - a.length);
  const byName = Map.groupBy(parts.flat(), ({ name }) => name);
  return most.map((event) => {
    const parts = byName.get(event.name) ?? [];
    const longest = Math.max(...parts.map(({ resumedMs = [] }) => resumedMs.length));
    const resumedMs = Array.from({ length: longest }, (_, n) =>
      Math.max(...parts.map(({ resumedMs = [] }) => resumedMs[n] ?? 0)),
    );
    const agents = parts.reduce((sum, part) => sum + part.agents, 0);
    return { ...event, agents, ...(longest > 0 && { resumedMs }) };
  });
}
