import { z } from 'zod';

/** What happened in a run, and how many agents it hit. */
export const happenedSchema = z.strictObject({
  name: z.string(),
  do: z.string().describe('what happened'),
  agents: z.int().nonnegative().describe('that it hit, each counted once'),
  fromMs: z.number().nonnegative().describe('when it began for the first time, from the start of the run'),
  toMs: z.number().nonnegative().describe('when it was to be over for the first time'),
  untilMs: z.number().nonnegative().optional().describe('when it was ended before its time; absent if it was not'),
});

export type Happened = Readonly<z.infer<typeof happenedSchema>>;

/** What happened to a fleet whose parts tell of the same events in the same order. */
export function sumHappened(parts: readonly (readonly Happened[])[]): Happened[] {
  const [first = []] = parts;
  return first.map((event, n) => ({ ...event, agents: parts.reduce((sum, part) => sum + (part[n]?.agents ?? 0), 0) }));
}
