import { z } from 'zod';
import { ENDPOINT_PATHS, type Endpoint } from '../protocol/push.ts';

/** What a timer can hold. */
const LONGEST_MS = 2 ** 31 - 1;

const milliseconds = z
  .number('milliseconds')
  .min(0, 'milliseconds from 0 on')
  .max(LONGEST_MS, `at most ${LONGEST_MS} ms`);
const ENDPOINTS = Object.keys(ENDPOINT_PATHS) as Endpoint[];

/** How long something takes: one draw per request. */
export const distributionSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('constant'), ms: milliseconds }),
  z.strictObject({ kind: z.literal('uniform'), lowMs: milliseconds, highMs: milliseconds }),
  /** Half of the draws are below the median; `sigma` is the standard deviation of the logarithm. */
  z.strictObject({ kind: z.literal('lognormal'), medianMs: milliseconds, sigma: z.number().min(0).max(10) }),
  /** Ascending shares of all draws with the value that they stay below; values between are interpolated. */
  z.strictObject({
    kind: z.literal('table'),
    quantiles: z
      .array(z.strictObject({ share: z.number().min(0).max(1), ms: milliseconds }))
      .min(1, 'at least one quantile')
      .refine(isAscending, 'ascending shares with ascending values'),
  }),
]);
export type Distribution = z.output<typeof distributionSchema>;

const span = z.number('milliseconds').min(0, 'milliseconds from 0 on');

/** When a fault holds, counted from the instant it is set. */
const window = {
  afterMs: span.default(0),
  /** Absent: until other faults are set. */
  forMs: span.optional(),
};

/** Which requests a fault hits. */
const scope = {
  ...window,
  endpoints: z.array(z.enum(ENDPOINTS)).min(1, 'at least one endpoint').default(ENDPOINTS),
  /** Of the requests in the window; drawn from the server's seed, the agent and the number of its attempt. */
  share: z.number().min(0).max(1, 'a share from 0 to 1').default(1),
};

/** Something a server does wrong to single requests. */
export const requestFaultSchema = z.discriminatedUnion('kind', [
  /** The request is processed at once and answered later. Several add up. */
  z.strictObject({ kind: z.literal('latency'), ...scope, distribution: distributionSchema }),
  /** The request is not processed and gets this status, with an error as JSON, an HTML page, or nothing. */
  z.strictObject({
    kind: z.literal('status'),
    ...scope,
    status: z.int().min(400, 'a status from 400 to 599').max(599, 'a status from 400 to 599'),
    body: z.enum(['json', 'html', 'empty']).default('json'),
  }),
  /** The connection is reset instead of an answer, without or with the request having been processed. */
  z.strictObject({ kind: z.literal('reset'), ...scope, processed: z.boolean().default(false) }),
  /** The request is processed; its answer breaks off in the middle of the body. */
  z.strictObject({ kind: z.literal('half_answer'), ...scope }),
  z.strictObject({ kind: z.literal('content_type'), ...scope, contentType: z.string().regex(/^[\x20-\x7e]+$/) }),
  /** Answers that name the agent name another one. */
  z.strictObject({ kind: z.literal('wrong_uuid'), ...scope }),
  /** An unknown agent is not registered and gets 201 with an empty password: it has to ask again. */
  z.strictObject({ kind: z.literal('empty_password'), ...scope }),
  /** The answer trickles. */
  z.strictObject({ kind: z.literal('drip'), ...scope, bytesPerSecond: z.number().min(1, 'at least 1 byte a second') }),
]);
export type RequestFault = z.output<typeof requestFaultSchema>;

/** Something a server does wrong as a whole. */
export const serverFaultSchema = z.discriminatedUnion('kind', [
  /** Connections stay, nothing is processed or answered; afterwards everything that waited is. */
  z.strictObject({ kind: z.literal('freeze'), ...window }),
  /** New connections are established but nobody reads from them; afterwards they are served. */
  z.strictObject({ kind: z.literal('stop_accepting'), ...window }),
  /** Connections beyond this number are reset. */
  z.strictObject({ kind: z.literal('connection_limit'), ...window, connections: z.int().min(0) }),
  /** All connections are reset and the port is closed; afterwards the server is back on the same port. */
  z.strictObject({ kind: z.literal('outage'), ...window }),
  /** At its instant, agents lose their registration: all of them or a share, drawn from the server's seed. */
  z.strictObject({ kind: z.literal('forget'), afterMs: window.afterMs, share: scope.share }),
]);
export type ServerFault = z.output<typeof serverFaultSchema>;

/** What the embedded monitoring server does wrong on purpose. Plain data with defaults applied. */
export const faultSchema = z.discriminatedUnion(
  'kind',
  [...requestFaultSchema.options, ...serverFaultSchema.options],
  `an object whose kind is one of ${kindsOf([...requestFaultSchema.options, ...serverFaultSchema.options])}`,
);
export type Fault = RequestFault | ServerFault;

/** A fault as it is written, with defaults left out. */
export type FaultInput = z.input<typeof faultSchema>;

export const faultsSchema = z.array(faultSchema).max(100, 'at most 100 faults');

function kindsOf(options: readonly { readonly shape: { readonly kind: { readonly value: string } } }[]): string {
  return options.map((option) => option.shape.kind.value).join(', ');
}

function isAscending(quantiles: readonly { share: number; ms: number }[]): boolean {
  return quantiles.every(({ share, ms }, i) => {
    const before = quantiles[i - 1];
    return before === undefined || (share > before.share && ms >= before.ms);
  });
}
