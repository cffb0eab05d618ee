import type { Endpoint } from '../../ground/protocol/push.ts';

/** Traffic since the start; plain data. */
export type ServerCounts = {
  readonly registrations: number;
  readonly openConnections: number;
  readonly requestsUnderWay: number;
  /** Complete bodies only. */
  readonly receivedBytes: number;
  /** Answers by endpoint (`other`: any other path) and status. */
  readonly answers: Readonly<Record<Endpoint | 'other', Readonly<Record<number, number>>>>;
  /** Answers that faults withheld, completely or in part. */
  readonly withheld: number;
  /** Requests whose client left, or was too slow, before the body was complete. */
  readonly aborted: number;
  /** Requests that threw an exception in this program, which is always a defect. */
  readonly internalErrors: number;
};

export type TrafficCounter = {
  readonly received: (sizeBytes: number) => void;
  readonly answered: (endpoint: Endpoint | undefined, status: number) => void;
  readonly withheld: () => void;
  readonly aborted: () => void;
  readonly failed: () => void;
  readonly counts: () => Omit<ServerCounts, 'registrations' | 'openConnections' | 'requestsUnderWay'>;
};

export function createTraffic(): TrafficCounter {
  let receivedBytes = 0;
  let withheld = 0;
  let aborted = 0;
  let internalErrors = 0;
  const answers: Record<Endpoint | 'other', Record<number, number>> = {
    register_agent: {},
    submit_checkdata: {},
    submit_package_info: {},
    other: {},
  };
  return {
    received: (sizeBytes) => {
      receivedBytes += sizeBytes;
    },
    answered: (endpoint, status) => {
      const byStatus = answers[endpoint ?? 'other'];
      byStatus[status] = (byStatus[status] ?? 0) + 1;
    },
    withheld: () => withheld++,
    aborted: () => aborted++,
    failed: () => internalErrors++,
    counts: () => ({ receivedBytes, answers: structuredClone(answers), withheld, aborted, internalErrors }),
  };
}
