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

const beside = (others: string) => `Left out: ${others}, exactly one of the three.`;

const rate = (others: string) =>
  rateOrRamp.optional().meta({
    description: `Arrivals of the whole fleet, evenly spaced: an open load, whatever the answers take. ${beside(others)}`,
    examples: ['500/s', '100/s..2000/s'],
  });

const concurrency = (others: string) =>
  wholeNumberFrom(1)
    .optional()
    .meta({
      description: `So many at once, the next as soon as an answer is in: a closed load. ${beside(others)}`,
      examples: [64],
    });

/** The load of `register` in a phase. */
export const registerLoad = section({
  rate: rate('`over` or `concurrency`'),
  over: positiveDuration.optional().meta({
    description: `The time in which all agents register, evenly spread. ${beside('`rate` or `concurrency`')}`,
    examples: ['10s'],
  }),
  concurrency: concurrency('`rate` or `over`'),
})
  .superRefine((load, context) => {
    requireOne(load, ['rate', 'over', 'concurrency'], context);
  })
  .transform((load): RegisterLoad => {
    if (load.over !== undefined) return { kind: 'over', overMs: load.over };
    return load.rate ?? { kind: 'concurrency', slots: load.concurrency ?? 0 };
  })
  .meta({
    title: 'registration',
    examples: [{ rate: '200/s' }, { rate: '10/s..200/s' }, { over: '10s' }, { concurrency: 64 }],
  });

/** The load of any other operation in a phase. */
export const operationLoad = section({
  rate: rate('`concurrency` or `every`'),
  concurrency: concurrency('`rate` or `every`'),
  every: positiveDuration.optional().meta({
    description: `The interval of each agent, on a fixed grid of its own, as real agents have. ${beside('`rate` or `concurrency`')}`,
    examples: ['30s', '5s'],
  }),
  jitter: z
    .number(JITTER)
    .min(0, JITTER)
    .max(1, JITTER)
    .optional()
    .meta({
      description: 'How late an arrival may be, as a share from 0 to 1 of the time to the next one.',
      default: 0,
      examples: [0.1],
    }),
  first: anyDuration.optional().meta({
    description: "Time from an agent's start to its first arrival, with `every`. Left out: `0s`, for `packages` `90s`.",
    examples: ['5s', '90s'],
  }),
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
  })
  .meta({
    title: 'load',
    examples: [
      { every: '30s' },
      { every: '30s', jitter: 0.1, first: '90s' },
      { rate: '500/s' },
      { rate: '100/s..2000/s' },
      { concurrency: 64 },
    ],
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
