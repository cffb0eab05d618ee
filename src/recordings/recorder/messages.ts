/** Messages from the proxy to the recording thread. Connections have numbers. Bytes are transferred, not copied. */
export type ToRecorder =
  | { readonly kind: 'opened'; readonly connection: number }
  | { readonly kind: 'sent'; readonly connection: number; readonly bytes: Uint8Array; readonly atMs: number }
  | { readonly kind: 'closed'; readonly connection: number }
  | { readonly kind: 'finish' };

export type FromRecorder =
  /** This many bytes have been processed. */
  | { readonly kind: 'done'; readonly bytes: number }
  /** A new host. */
  | { readonly kind: 'host'; readonly host: string }
  /** A request was not recorded. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** The index could not be written. The thread will try again. */
  | { readonly kind: 'unsaved'; readonly reason: string }
  | { readonly kind: 'finished'; readonly summary: RecordingSummary };

/** The contents of a recording. */
export type RecordingSummary = { readonly hosts: number; readonly checkdata: number; readonly packages: number };

/** The order for the recording thread. */
export type RecorderTask = {
  readonly folder: string;
  /** The recorder keeps at most one document per host and kind in this interval. */
  readonly everyMs: number;
  /** Key for the replacement of names; `undefined` keeps the names. */
  readonly anonymizeKey: string | undefined;
  readonly limits: RecorderLimits;
};

/** Limits for the memory of a recorder. What exceeds them is forwarded, but not recorded. */
export type RecorderLimits = {
  /** Bytes that were copied for the recording thread and not yet processed. */
  readonly queuedBytes: number;
  /** Documents in flight on all connections together. */
  readonly inFlightBytes: number;
};

export const RECORDER_LIMITS: RecorderLimits = { queuedBytes: 64 << 20, inFlightBytes: 128 << 20 };
