import { z } from 'zod';
import { MEASURED_OPERATIONS } from '../ground/protocol/operations.ts';
import type { FromMachine, LeaseRequest, ToMachines } from './messages.ts';

/*
 * The form of the messages of a run. Without a cluster key, any program that reaches NATS can write to its stream. A message of another
 * form is skipped before it is used.
 */

const count = z.int().nonnegative();
const counts = z.record(z.string(), count);
const time = z.number();
const part = count;
const text = z.string();
const bytes = z.instanceof(Uint8Array);
const record = z.looseObject({
  ...{ machine: z.looseObject({ id: text, name: text }), workers: count, generation: count },
  ...{ clockOffsetMs: time, monotonicOffsetMs: time, clockErrorMs: time },
});
const event = z.looseObject({ name: text, fromMs: time, action: z.looseObject({ kind: text }) });
const series = z.looseObject({
  ...{ phase: text, operation: z.enum(MEASURED_OPERATIONS), dropped: counts, outcomes: counts },
  ...{ planned: count, started: count, succeededWithin: count, sentBytes: count, receivedBytes: count },
  histograms: z.record(text, bytes),
});
const worker = z.looseObject({
  ...{ shard: count, loopUtilization: time, cpuMs: time, gcMs: time, listening: count },
  stalls: z.array(z.looseObject({ fromMs: time, toMs: time })),
});
const frame = z.looseObject({
  ...{ shard: count, second: count, series: z.array(series), agents: counts, inFlight: count, listening: count },
  ...{ down: count, listeners: z.looseObject({ refused: counts }), loopUtilization: time, cpuMs: time, gcMs: time },
  workers: z.array(worker).optional(),
});
const copiedPassword = { kind: z.literal('copied_password'), agent: count, password: text };

const fromMachine = z.intersection(
  z.looseObject({ generation: count }),
  z.discriminatedUnion('kind', [
    z.looseObject({ kind: z.literal('ready') }),
    z.looseObject({ kind: z.literal('failed'), text }),
    z.looseObject({ kind: z.literal('leaves') }),
    z.looseObject({ kind: z.literal('frame'), frame }),
    z.looseObject({ kind: z.literal('event_ended'), name: text, count }),
    z.looseObject(copiedPassword),
    z.looseObject({ kind: z.literal('held_back'), agents: z.array(count) }),
    z.looseObject({ kind: z.literal('worker_lost'), worker: count, text }),
    z.looseObject({
      kind: z.literal('account'),
      account: z.looseObject({ responses: z.array(z.unknown()), down: z.array(count), machine: z.looseObject({}) }),
    }),
    z.looseObject({ kind: z.literal('finished') }),
  ]),
);

const toMachines = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('start'), atMs: z.array(time), epochMs: time }),
  z.looseObject({ kind: z.literal('event'), event, otherServers: z.array(z.looseObject({})) }),
  z.looseObject({ kind: z.literal('end_event'), name: text, atMs: time }),
  z.looseObject(copiedPassword),
  z.looseObject({ kind: z.literal('stop') }),
  z.looseObject({ kind: z.literal('cancel') }),
  z.looseObject({ kind: z.literal('lost'), part, generation: count, why: text, second: z.int().min(-1) }),
  z.looseObject({ kind: z.literal('left'), part }),
  z.looseObject({ kind: z.literal('replaced'), part, record, elapsedS: count, atMs: time, epochMs: time }),
]);

const leaseRequest = z.looseObject({
  ...{ part, generation: count, isLeaving: z.boolean(), natsMs: time.nonnegative().optional() },
  problem: text.optional(),
});

export function isLeaseRequest(message: unknown): message is LeaseRequest {
  return leaseRequest.safeParse(message).success;
}

export function isFromMachine(message: unknown): message is FromMachine {
  return fromMachine.safeParse(message).success;
}

export function isToMachines(message: unknown): message is ToMachines {
  return toMachines.safeParse(message).success;
}
