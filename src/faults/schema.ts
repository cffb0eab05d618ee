import { z } from 'zod';
import { formatDuration } from '../kernel/units.ts';
import { type Finding, findingText, oneOfText } from '../notation/finding.ts';
import { instant, instantOf } from '../notation/instant.ts';
import { anyShare, positiveDuration, wholeNumberFrom } from '../notation/quantities.ts';
import { schemaFindings } from '../notation/schema-findings.ts';
import { choice, section, trueOrFalse } from '../notation/section.ts';
import { OPERATIONS } from '../protocol/operations.ts';
import { delay, writtenDelay } from './delay.ts';
import type { Fault } from './fault.ts';

const OPERATION_LIST = 'a list with at least one operation';
const CONTENT_TYPE = 'a content type such as text/plain';

const at = instant.prefault('0s').describe('When it begins.');
const window = {
  at,
  for: positiveDuration
    .exactOptional()
    .meta({ description: 'How long it holds. Left out: to the end of the run.', examples: ['5s'] }),
};
const scope = {
  ...window,
  share: anyShare.prefault('100%').describe('Part of the requests in that time that it hits, drawn from the seed.'),
  operations: z
    .array(choice(OPERATIONS).describe('What an agent does.'), OPERATION_LIST)
    .min(1, OPERATION_LIST)
    .default([...OPERATIONS])
    .meta({
      description: 'Which requests it hits; by its password the server tells `authorize` from `register`.',
      examples: [['checkdata'], ['register', 'authorize']],
    }),
};

const REQUEST_FAULTS = [
  section({
    do: z.literal('latency').describe('Requests are processed at once and answered later; several add up.'),
    delay: delay.describe('How much later.'),
    ...scope,
  }),
  section({
    do: z.literal('status').describe('Requests are not processed and get an error.'),
    status: wholeNumberFrom(400, 599).meta({ description: 'Its HTTP status.', examples: [503] }),
    body: choice(['json', 'html', 'empty']).default('json').describe('What comes with it: JSON, a page, or nothing.'),
    ...scope,
  }),
  section({
    do: z.literal('reset').describe('The connection is reset instead of an answer.'),
    processed: trueOrFalse.default(false).describe('Whether the request is processed before.'),
    ...scope,
  }),
  section({
    do: z.literal('half-answer').describe('Requests are processed; the answer breaks off in the middle of its body.'),
    ...scope,
  }),
  section({
    do: z.literal('content-type').describe('The answer says that it is something else than JSON.'),
    contentType: z
      .string(CONTENT_TYPE)
      .regex(/^[\x20-\x7e]+$/, CONTENT_TYPE)
      .meta({ description: 'What it says that it is.', examples: ['text/plain'] }),
    ...scope,
  }),
  section({ do: z.literal('wrong-uuid').describe('Answers that name the agent name another one.'), ...scope }),
  section({
    do: z
      .literal('empty-password')
      .describe('Unknown agents are not registered and get 201 with an empty password: they have to ask again.'),
    ...scope,
  }),
  section({
    do: z.literal('drip').describe('The answer trickles.'),
    bytesPerSecond: wholeNumberFrom(1).meta({ description: 'How fast, in bytes per second.', examples: [100] }),
    ...scope,
  }),
] as const;

const SERVER_FAULTS = [
  section({
    do: z
      .literal('freeze')
      .describe('Connections stay, but nothing is processed or answered; afterwards everything that waited is.'),
    ...window,
  }),
  section({
    do: z
      .literal('stop-accepting')
      .describe('New connections are established, but nobody reads from them; afterwards they are served.'),
    ...window,
  }),
  section({
    do: z.literal('connection-limit').describe('Connections beyond a number are reset.'),
    connections: wholeNumberFrom(0).meta({ description: 'How many there may be.', examples: [100] }),
    ...window,
  }),
  section({
    do: z
      .literal('outage')
      .describe('Connections are reset and the port is closed; afterwards the server is back on the same port.'),
    ...window,
  }),
  section({
    do: z.literal('forget').describe('At its instant, agents lose their registration.'),
    at,
    share: anyShare.prefault('100%').describe('Part of the agents that it hits, drawn from the seed.'),
  }),
] as const;

const FAULTS = [...REQUEST_FAULTS, ...SERVER_FAULTS] as const;

const KINDS = FAULTS.map((kind) => kind.shape.do.value);

const fault = z
  .discriminatedUnion('do', FAULTS, {
    error: (issue) => (issue.code === 'invalid_union' ? oneOfText(KINDS) : 'a fault such as { do: freeze, for: 5s }'),
  })
  .describe('Something that the embedded server does wrong on purpose.');

/** A list of faults, wherever one is written: in a scenario, in a file of `muster serve`, at the admin endpoint. */
export const faultList = z.array(fault, 'a list of faults').max(100, 'at most 100 faults');

/** A fault as it was read, with defaults applied; its instant may still name a phase. */
type FaultFile = z.output<typeof fault>;

/** A fault as it is written. */
export type FaultInput = z.input<typeof fault>;

type Phases = Parameters<typeof instantOf>[1];

/** The fault with times in milliseconds; those that name a phase count from its start. */
export function faultOf(file: FaultFile, phases: Phases): Fault {
  if (file.do === 'forget') return { do: file.do, atMs: instantOf(file.at, phases), share: file.share };
  const { at, for: forMs, ...what } = file;
  return { ...what, atMs: instantOf(at, phases), ...(forMs !== undefined && { forMs }) };
}

/** The section that reads as this fault. */
export function writtenFault(fault: Fault): FaultInput {
  if (fault.do === 'forget') return { do: fault.do, at: formatDuration(fault.atMs), share: fault.share };
  const { atMs, forMs, ...what } = fault;
  const when = { at: formatDuration(atMs), ...(forMs !== undefined && { for: formatDuration(forMs) }) };
  if (!('operations' in what)) return { ...what, ...when };
  const request = { operations: [...what.operations], ...when };
  return what.do === 'latency' ? { ...what, delay: writtenDelay(what.delay), ...request } : { ...what, ...request };
}

/** What came of a list of faults: the faults, or everything that is wrong with it, and a sentence on each. */
export type FaultsRead =
  | { readonly kind: 'faults'; readonly faults: readonly Fault[] }
  | { readonly kind: 'problems'; readonly findings: readonly Finding[]; readonly problems: readonly string[] };

/** Reads faults as they are set on a server: there are no phases, and times count from that moment. */
export function readFaults(raw: unknown): FaultsRead {
  const { data, error } = faultList.safeParse(raw);
  const findings = data === undefined ? schemaFindings(error.issues, raw) : data.flatMap(phaseFindings);
  if (data === undefined || findings.length > 0)
    return { kind: 'problems', findings, problems: findings.map(findingText) };
  return { kind: 'faults', faults: data.map((file) => faultOf(file, [])) };
}

function phaseFindings({ at }: FaultFile, index: number): readonly Finding[] {
  if (at.phase === undefined) return [];
  const expected = 'a time from the moment the faults are set such as 12s, as a server knows no phases';
  return [{ path: [index, 'at'], focus: 'value', expected, found: `the phase ${at.phase}`, candidates: [] }];
}
