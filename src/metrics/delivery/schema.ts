import { z } from 'zod';
import { OPERATIONS } from '../../base/protocol/operations.ts';

const count = z.int().nonnegative();

const figures = {
  sent: count.describe('requests sent completely'),
  acknowledged: count.describe('sent and answered with success'),
  refused: count.describe('sent and answered, but not with success'),
  unknown: count.describe('sent, but without a readable answer'),
  unknownReceived: count.describe('of the unknown ones: arrived, assuming that all answered ones did'),
  unknownMissing: count.describe('of the unknown ones: did not arrive'),
  received: count.describe('received completely by the server'),
  lost: count.describe('acknowledged, but never received'),
  duplicated: count.describe('received beyond what was sent'),
};

const documentsSchema = z
  .strictObject({
    repeated: count.describe('with the same date as the previous document of the agent'),
    backward: count.describe('with an earlier date than the previous document of the agent'),
    stale: count.describe('older than two minutes on arrival'),
    ahead: count.describe("dated more than a second ahead of the server's clock"),
    undated: count,
  })
  .describe('documents among the received requests whose dates are not in order');

const operationDeliverySchema = z.strictObject({
  operation: z.enum(OPERATIONS),
  ...figures,
  documents: documentsSchema.optional().describe('absent for operations without a document'),
});

/** Compares what was sent with what the embedded server received as an observer, over all phases, including excluded ones. */
export const deliverySchema = z
  .discriminatedUnion('observed', [
    z.strictObject({
      observed: z.literal(true),
      ...figures,
      unattributed: count.describe('received requests that name no agent of the fleet'),
      operations: z.array(operationDeliverySchema),
    }),
    z.strictObject({
      observed: z.literal(false),
      reason: z.string().describe('why the delivery is unknown'),
    }),
  ])
  .meta({
    id: 'delivery',
    description:
      'sent = acknowledged + refused + unknown, over all phases; lost and duplicated are found per agent and operation',
  });

export type Delivery = z.infer<typeof deliverySchema>;
export type ObservedDelivery = Extract<Delivery, { observed: true }>;
export type OperationDelivery = z.infer<typeof operationDeliverySchema>;
export type DocumentCounts = z.infer<typeof documentsSchema>;
export type DeliveryFigures = Pick<ObservedDelivery, keyof typeof figures>;
