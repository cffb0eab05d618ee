import { z } from 'zod';

export const happenedSchema = z.strictObject({
  name: z.string(),
  do: z.string().describe('what happened'),
  agents: z.int().nonnegative().describe('affected agents, each counted once'),
  fromMs: z.number().nonnegative().describe('first start, since the start of the run'),
  toMs: z.number().nonnegative().describe('planned end of the first occurrence'),
  untilMs: z.number().nonnegative().optional().describe('when it was ended early; absent if it was not'),
});

export type Happened = Readonly<z.infer<typeof happenedSchema>>;

/**
 * Adds up the events of parts of a fleet, which report the same events in the same order. A part that started later may lack
 * events that had already ended.
 */
export function sumHappened<Event extends Happened>(parts: readonly (readonly Event[])[]): Event[] {
  const [most = []] = parts.toSorted((a, b) => b.length - a.length);
  const agentsOf = (name: string, part: readonly Event[]): number =>
    part.find((event) => event.name === name)?.agents ?? 0;
  return most.map((event) => ({ ...event, agents: parts.reduce((sum, part) => sum + agentsOf(event.name, part), 0) }));
}
