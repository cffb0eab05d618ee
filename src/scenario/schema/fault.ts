import { z } from 'zod';
import { type Fault, faultSchema } from '../../faults/server-faults.ts';
import { formatDuration } from '../../kernel/units.ts';
import type { Phase } from '../../load/timeline.ts';
import { oneOf } from '../../notation/expectations.ts';
import { positiveDuration, wholeNumberFrom } from '../../notation/quantities.ts';
import { choice, section } from '../../notation/section.ts';
import { share } from '../../notation/share.ts';
import { ENDPOINT_PATHS, type Endpoint } from '../../protocol/push.ts';
import { delay, writtenDelay } from './delay.ts';
import { instant, instantOf } from './instant.ts';

const ENDPOINTS = Object.keys(ENDPOINT_PATHS) as [Endpoint, ...Endpoint[]];
const ENDPOINT_LIST = 'a list with at least one endpoint';
const CONTENT_TYPE = 'a content type such as text/plain';

const at = instant.prefault('0s').describe('When it begins: `steady+5s`, or `12s` from the start.');
const window = { at, for: positiveDuration.exactOptional().describe('How long it holds; default: to the end.') };
const scope = {
  ...window,
  share: share.default(1).describe('Of the requests in that time, drawn from the seed: `30%` or 0.3.'),
  endpoints: z
    .array(choice(ENDPOINTS), ENDPOINT_LIST)
    .min(1, ENDPOINT_LIST)
    .default(ENDPOINTS)
    .describe('Which requests it hits.'),
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
    processed: z.boolean('true or false').default(false).describe('Whether the request is processed before.'),
    ...scope,
  }),
  section({ do: z.literal('half_answer'), ...scope }),
  section({
    do: z.literal('content_type'),
    contentType: z
      .string(CONTENT_TYPE)
      .regex(/^[\x20-\x7e]+$/, CONTENT_TYPE)
      .describe('Instead of JSON.'),
    ...scope,
  }),
  section({ do: z.literal('wrong_uuid'), ...scope }),
  section({ do: z.literal('empty_password'), ...scope }),
  section({
    do: z.literal('drip'),
    bytesPerSecond: wholeNumberFrom(1).describe('How fast the answer trickles.'),
    ...scope,
  }),
  section({ do: z.literal('freeze'), ...window }),
  section({ do: z.literal('stop_accepting'), ...window }),
  section({
    do: z.literal('connection_limit'),
    connections: wholeNumberFrom(0).describe('Those beyond are reset.'),
    ...window,
  }),
  section({ do: z.literal('outage'), ...window }),
  section({ do: z.literal('forget'), at, share: share.default(1).describe('Of the agents.') }),
] as const;

const KINDS = FAULTS.map((kind) => kind.shape.do.value);

/** Something that the embedded server does wrong on purpose. */
export const fault = z.discriminatedUnion('do', FAULTS, {
  error: (issue) => (issue.code === 'invalid_union' ? oneOf(KINDS) : 'a fault such as { do: freeze, for: 5s }'),
});

export type FaultFile = z.output<typeof fault>;

// What the server calls differently.
const SERVER_NAMES: Readonly<Record<string, string>> = { do: 'kind', for: 'forMs', delay: 'distribution' };

/** The fault as the server takes it, its times counted from the run's start. */
export function serverFault({ at, ...rest }: FaultFile, phases: readonly Phase[]): Fault {
  const renamed = Object.entries(rest).map(([key, value]) => [SERVER_NAMES[key] ?? key, value]);
  return faultSchema.parse({ ...Object.fromEntries(renamed), afterMs: instantOf(at, phases) });
}

/** The section that reads as this fault. */
export function writtenFault({ kind, afterMs, ...rest }: Fault): Readonly<Record<string, unknown>> {
  const written = Object.entries(rest).map(([key, value]) => writtenMember(key, value));
  return { do: kind, at: formatDuration(afterMs), ...Object.fromEntries(written) };
}

function writtenMember(key: string, value: unknown): readonly [string, unknown] {
  if (key === 'forMs') return ['for', formatDuration(value as number)];
  if (key === 'distribution') return ['delay', writtenDelay(value as Parameters<typeof writtenDelay>[0])];
  return [key, value];
}
