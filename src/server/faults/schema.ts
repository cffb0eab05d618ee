import { z } from 'zod';
import { type Finding, findingText, oneOfText } from '../../base/notation/finding.ts';
import { fromStart, instant, instantOf } from '../../base/notation/instant.ts';
import { writePart } from '../../base/notation/parts.ts';
import { anyShare, positiveDuration, wholeNumberFrom } from '../../base/notation/quantities.ts';
import { schemaFindings } from '../../base/notation/schema-findings.ts';
import { choice, section, trueOrFalse } from '../../base/notation/section.ts';
import { OPERATIONS } from '../../base/protocol/operations.ts';
import { delay } from './delay.ts';

const OPERATION_LIST = 'a list with at least one operation';
const CONTENT_TYPE = 'a content type such as text/plain';

const at = instant.prefault('0s').describe('When the fault starts, at most `10000d`.');
const window = {
  at,
  for: positiveDuration
    .exactOptional()
    .meta({ description: 'How long the fault lasts. Left out: to the end of the run.', examples: ['5s'] }),
};
const scope = {
  ...window,
  share: anyShare.prefault('100%').describe('Share of the requests that the fault hits, drawn from the seed.'),
  operations: z
    .array(choice(OPERATIONS).describe('An operation of agents.'), OPERATION_LIST)
    .min(1, OPERATION_LIST)
    .default([...OPERATIONS])
    .meta({
      description: 'Operations that the fault hits.',
      examples: [['checkdata'], ['register', 'authorize']],
    }),
};

const REQUEST_FAULTS = [
  section({
    do: z.literal('latency').describe('Delays the answers; several such faults add up.'),
    delay: delay.describe('Delay of each answer.'),
    ...scope,
  }),
  section({
    do: z.literal('status').describe('Answers requests with an error without processing them.'),
    status: wholeNumberFrom(400, 599).meta({ description: 'HTTP status of the error.', examples: [503] }),
    body: choice(['json', 'html', 'empty'])
      .default('json')
      .describe('Body of the error: JSON, an HTML page, or nothing.'),
    ...scope,
  }),
  section({
    do: z.literal('reset').describe('Resets the connection instead of answering.'),
    processed: trueOrFalse.default(false).describe('Whether the server processes the request first.'),
    ...scope,
  }),
  section({
    do: z.literal('half-answer').describe('Processes requests, but cuts answers off.'),
    ...scope,
  }),
  section({
    do: z.literal('content-type').describe('Sends a wrong content type with JSON answers.'),
    contentType: z
      .string(CONTENT_TYPE)
      .regex(/^[\x20-\x7e]+$/, CONTENT_TYPE)
      .meta({ description: 'The wrong content type.', examples: ['text/plain'] }),
    ...scope,
  }),
  section({
    do: z.literal('wrong-uuid').describe('Answers with the UUID of another agent.'),
    ...scope,
  }),
  section({
    do: z
      .literal('empty-password')
      .describe('Answers unknown agents with 201 and an empty password, so that they ask again.'),
    ...scope,
  }),
  section({
    do: z.literal('drip').describe('Sends answers slowly.'),
    bytesPerSecond: wholeNumberFrom(1).meta({ description: 'Speed in bytes per second.', examples: [100] }),
    ...scope,
  }),
] as const;

const SERVER_FAULTS = [
  section({
    do: z.literal('freeze').describe('Keeps connections open but processes nothing until the fault ends.'),
    ...window,
  }),
  section({
    do: z.literal('stop-accepting').describe('Reads nothing from new connections until the fault ends.'),
    ...window,
  }),
  section({
    do: z.literal('connection-limit').describe('Resets connections beyond a limit.'),
    connections: wholeNumberFrom(0).meta({ description: 'Maximum number of connections.', examples: [100] }),
    ...window,
  }),
  section({
    do: z.literal('outage').describe('Resets all connections and closes the port until the fault ends.'),
    ...window,
  }),
  section({
    do: z.literal('forget').describe('Deletes registrations of agents when the fault starts.'),
    at,
    share: anyShare.prefault('100%').describe('Share of the agents that the fault hits, drawn from the seed.'),
  }),
] as const;

const FAULTS = [...REQUEST_FAULTS, ...SERVER_FAULTS] as const;

const KINDS = FAULTS.map((kind) => kind.shape.do.value);

const fault = z
  .discriminatedUnion('do', FAULTS, {
    error: (issue) => (issue.code === 'invalid_union' ? oneOfText(KINDS) : 'a fault such as { do: freeze, for: 5s }'),
  })
  .describe('A fault to inject into the embedded server.');

/** A list of faults in any place: a scenario, a file of `muster serve`, the admin endpoint. */
export const faultList = z.array(fault, 'a list of faults').max(100, 'at most 100 faults');

/** A fault after reading, with defaults applied; its time may still name a phase. */
type FaultFile = Plain<z.output<typeof fault>>;

type Plain<File> = { readonly [Key in keyof File]: File[Key] extends (infer Item)[] ? readonly Item[] : File[Key] };

type Timed<File> = File extends { readonly do: 'forget' }
  ? Omit<File, 'at'> & { readonly atMs: number }
  : Omit<File, 'at' | 'for'> & { readonly atMs: number; readonly forMs?: number };

/**
 * Deliberate misbehavior of the embedded server; plain data. Times count from the time when the faults were set, or from the start of a
 * run. Without `forMs`, the fault lasts until other faults are set.
 */
export type Fault = Timed<FaultFile>;

/** A fault of single requests. Its share is drawn from the server's seed, the agent and the number of its attempt. */
export type RequestFault = Extract<Fault, { readonly operations: unknown }>;

/** A fault as written in a file. */
export type FaultInput = z.input<typeof fault>;

type Phases = Parameters<typeof instantOf>[1];

/** Converts a fault's times to milliseconds. A time that names a phase counts from its start. */
export function faultOf(file: FaultFile, phases: Phases): Fault {
  if (file.do === 'forget') return { do: file.do, atMs: instantOf(file.at, phases), share: file.share };
  const { at, for: forMs, ...what } = file;
  return { ...what, atMs: instantOf(at, phases), ...(forMs !== undefined && { forMs }) };
}

/** The inverse of `faultOf`. */
export function faultFile(fault: Fault): FaultFile {
  if (fault.do === 'forget') return { do: fault.do, at: fromStart(fault.atMs), share: fault.share };
  const { atMs, forMs, ...what } = fault;
  return { ...what, at: fromStart(atMs), ...(forMs !== undefined && { for: forMs }) };
}

/** The list that `readFaults` reads as these faults. */
export function formatFaults(faults: readonly Fault[]): readonly FaultInput[] {
  return writePart(faultList, faults.map(faultFile)) as readonly FaultInput[];
}

/** Result of reading a list of faults: the faults, or one finding per mistake. */
export type FaultsRead =
  | { readonly kind: 'faults'; readonly faults: readonly Fault[] }
  | { readonly kind: 'problems'; readonly findings: readonly Finding[]; readonly problems: readonly string[] };

/** Reads faults that are set on a server. There are no phases, and times count from when the faults are set. */
export function readFaults(raw: unknown): FaultsRead {
  const { data, error } = faultList.safeParse(raw);
  const findings = data === undefined ? schemaFindings(error.issues, raw) : data.flatMap(phaseFindings);
  if (data === undefined || findings.length > 0)
    return { kind: 'problems', findings, problems: findings.map(findingText) };
  return { kind: 'faults', faults: data.map((file) => faultOf(file, [])) };
}

function phaseFindings({ at }: FaultFile, index: number): readonly Finding[] {
  if (at.phase === undefined) return [];
  const expected = 'a time after the faults are set, such as 12s, because a server has no phases';
  return [{ path: [index, 'at'], focus: 'value', expected, found: `the phase ${at.phase}`, candidates: [] }];
}
