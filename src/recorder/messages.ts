/** What the proxy tells the thread that records. Connections have numbers; bytes are handed over. */
export type ToRecorder =
  | { readonly kind: 'opened'; readonly connection: number }
  | { readonly kind: 'sent'; readonly connection: number; readonly bytes: Uint8Array; readonly atMs: number }
  | { readonly kind: 'closed'; readonly connection: number }
  | { readonly kind: 'finish' };

export type FromRecorder =
  /** So many bytes are done with. */
  | { readonly kind: 'done'; readonly bytes: number }
  /** A host that was not seen before. */
  | { readonly kind: 'host'; readonly host: string }
  /** A request was not recorded. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** The index could not be written; it is tried again. */
  | { readonly kind: 'unsaved'; readonly reason: string }
  | { readonly kind: 'finished'; readonly summary: RecordingSummary };

/** What a recording holds. */
export type RecordingSummary = { readonly hosts: number; readonly checkdata: number; readonly packages: number };

/** What the thread begins with. */
export type RecorderTask = {
  readonly folder: string;
  /** Of what a host pushes, one document of a kind is kept in so long. */
  readonly everyMs: number;
  /** The key that names are replaced with; undefined: they stay. */
  readonly anonymizeKey: string | undefined;
};
