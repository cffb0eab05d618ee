import { z } from 'zod';
import { oneOf } from '../notation/expectations.ts';
import { instant, instantOf } from '../notation/instant.ts';
import { positiveDuration, wholeNumberFrom } from '../notation/quantities.ts';
import { choice, flag, section } from '../notation/section.ts';
import { share } from '../notation/share.ts';
import { OPERATIONS } from '../protocol/operations.ts';
import { delay } from './delay.ts';
import type { Fault } from './fault.ts';

const OPERATION_LIST = 'a list with at least one operation';
const CONTENT_TYPE = 'a content type such as text/plain';

const at = instant.prefault('0s').describe('When it begins: `steady+5s`, or `12s` from the start.');
const window = { at, for: positiveDuration.exactOptional().describe('How long it holds; default: to the end.') };
const scope = {
  ...window,
  share: share.default(1).describe('Of the requests in that time, drawn from the seed: `30%` or 0.3.'),
  operations: z
    .array(choice(OPERATIONS), OPERATION_LIST)
    .min(1, OPERATION_LIST)
    .default([...OPERATIONS])
    .describe('Which requests it hits; the password tells `authorize` from `register`.'),
};

const FAULTS = [
  section({ do: z.literal('latency'), delay: delay.describe('How much later it answers.'), ...scope }),
  section({
    do: z.literal('status'),
    status: wholeNumberFrom(400, 599).describe('Instead of processing the request.'),
    body: choice(['json', 'html', 'empty']).default('json').describe('What comes with the status.'),
    ...scope,
  }),
  section({
    do: z.literal('reset'),
    processed: flag.default(false).describe('Whether the request is processed before.'),
    ...scope,
  }),
  section({ do: z.literal('half-answer'), ...scope }),
  section({
    do: z.literal('content-type'),
    contentType: z
      .string(CONTENT_TYPE)
      .regex(/^[\x20-\x7e]+$/, CONTENT_TYPE)
      .describe('Instead of JSON.'),
    ...scope,
  }),
  section({ do: z.literal('wrong-uuid'), ...scope }),
  section({ do: z.literal('empty-password'), ...scope }),
  section({
    do: z.literal('drip'),
    bytesPerSecond: wholeNumberFrom(1).describe('How fast the answer trickles.'),
    ...scope,
  }),
  section({ do: z.literal('freeze'), ...window }),
  section({ do: z.literal('stop-accepting'), ...window }),
  section({
    do: z.literal('connection-limit'),
    connections: wholeNumberFrom(0).describe('Those beyond are reset.'),
    ...window,
  }),
  section({ do: z.literal('outage'), ...window }),
  section({ do: z.literal('forget'), at, share: share.default(1).describe('Of the agents.') }),
] as const;

const KINDS = FAULTS.map((kind) => kind.shape.do.value);

const fault = z.discriminatedUnion('do', FAULTS, {
  error: (issue) => (issue.code === 'invalid_union' ? oneOf(KINDS) : 'a fault such as { do: freeze, for: 5s }'),
});

/** A list of faults, wherever one is written: in a scenario, in a file of `muster serve`, at the admin endpoint. */
export const faultList = z.array(fault, 'a list of faults').max(100, 'at most 100 faults');

/** A fault as it was read, with defaults applied; its instant may still name a phase. */
export type FaultFile = z.output<typeof fault>;

/** A fault as it is written. */
export type FaultInput = z.input<typeof fault>;

type Phases = Parameters<typeof instantOf>[1];

/** The fault with times in milliseconds; those that name a phase count from its start. */
export function faultOf(file: FaultFile, phases: Phases): Fault {
  if (file.do === 'forget') return { do: file.do, atMs: instantOf(file.at, phases), share: file.share };
  const { at, for: forMs, ...what } = file;
  return { ...what, atMs: instantOf(at, phases), ...(forMs !== undefined && { forMs }) };
}
