/** The server's standstill: while it lasts, whoever is about to act waits. */
export type Freeze = {
  readonly holds: () => boolean;
  /** Resolves when the server has thawed; those who wait go on in the order in which they came. */
  readonly over: () => Promise<void>;
  readonly set: (frozen: boolean) => void;
};

export function createFreeze(): Freeze {
  let standstill: PromiseWithResolvers<void> | undefined;
  return {
    holds: () => standstill !== undefined,
    over: async () => {
      while (standstill !== undefined) await standstill.promise;
    },
    set: (frozen) => {
      if (frozen) {
        standstill ??= Promise.withResolvers();
        return;
      }
      standstill?.resolve();
      standstill = undefined;
    },
  };
}
