import { z } from 'zod';
import {
  anyDuration,
  positiveDuration,
  type RateModel,
  rateOrRamp,
  wholeNumberFrom,
} from '../../notation/quantities.ts';
import { section } from '../../notation/section.ts';

/** What drives the registration of every agent. */
export type RegisterLoad =
  | RateModel
  | { readonly kind: 'concurrency'; readonly slots: number }
  | { readonly kind: 'over'; readonly overMs: number };

/** What drives any other operation; without `firstMs` its default applies. */
export type OperationLoad =
  | RateModel
  | { readonly kind: 'concurrency'; readonly slots: number }
  | {
      readonly kind: 'cadence';
      readonly everyMs: number;
      readonly jitter: number;
      readonly firstMs: number | undefined;
    };

type Keys = Readonly<Record<string, unknown>>;

const JITTER = 'a share from 0 to 1 such as 0.1';

const rate = rateOrRamp.optional().describe('Arrivals of the whole fleet: `500/s`, or a ramp `100/s..2000/s`.');
const concurrency = wholeNumberFrom(1)
  .optional()
  .describe('As fast as answers come, with this many operations under way at once.');

/** The load of `register` in a phase. */
export const registerLoad = section({
  rate,
  over: positiveDuration.optional().describe('The time in which all agents register, evenly spread.'),
  concurrency,
})
  .superRefine((load, context) => {
    requireOne(load, ['rate', 'over', 'concurrency'], context);
  })
  .transform((load): RegisterLoad => {
    if (load.over !== undefined) return { kind: 'over', overMs: load.over };
    return load.rate ?? { kind: 'concurrency', slots: load.concurrency ?? 0 };
  });

/** The load of any other operation in a phase. */
export const operationLoad = section({
  rate,
  concurrency,
  every: positiveDuration.optional().describe('Each agent has its own fixed grid with this interval.'),
  jitter: z
    .number(JITTER)
    .min(0, JITTER)
    .max(1, JITTER)
    .optional()
    .describe('Largest deviation from the grid, as a share of `every`.'),
  first: anyDuration.optional().describe("From an agent's start to its first arrival."),
})
  .superRefine((load, context) => {
    const model = requireOne(load, ['rate', 'concurrency', 'every'], context);
    for (const key of ['jitter', 'first'] as const) {
      if (model !== undefined && model !== 'every' && load[key] !== undefined)
        context.addIssue({
          code: 'custom',
          message: `no ${key} without every`,
          path: [key],
          params: { found: `it beside ${model}` },
        });
    }
  })
  .transform((load): OperationLoad => {
    if (load.every === undefined) return load.rate ?? { kind: 'concurrency', slots: load.concurrency ?? 0 };
    return { kind: 'cadence', everyMs: load.every, jitter: load.jitter ?? 0, firstMs: load.first };
  });

/** The one load model that is given; several or none are a problem. */
function requireOne(load: Keys, models: readonly string[], context: z.RefinementCtx): string | undefined {
  const given = models.filter((model) => load[model] !== undefined);
  if (given.length === 1) return given[0];
  context.addIssue({
    code: 'custom',
    message: `exactly one load model: ${models.slice(0, -1).join(', ')} or ${models.at(-1)}`,
    params: { found: given.length === 0 ? 'none' : given.join(' and ') },
  });
  return undefined;
}
