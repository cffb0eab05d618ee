import type { Endpoint } from '../../protocol/push.ts';

/** What arrived and what was answered since the start. Plain data. */
export type ServerCounts = {
  readonly registrations: number;
  readonly openConnections: number;
  readonly requestsUnderWay: number;
  /** Bodies that arrived whole. */
  readonly receivedBytes: number;
  /** Answers by endpoint (`other`: any other path) and status. */
  readonly answers: Readonly<Record<Endpoint | 'other', Readonly<Record<number, number>>>>;
  /** Answers that faults kept back, wholly or in part. */
  readonly withheld: number;
  /** Requests whose client left, or was too slow, before the body was whole. */
  readonly aborted: number;
  /** Requests that brought this program to an exception: always a fault of it. */
  readonly internalErrors: number;
};

/** Counts the server's traffic as it goes. */
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
