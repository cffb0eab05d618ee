/** Results of one sample, by name of the benchmark's figures. */
export type Figures = Readonly<Record<string, number>>;

/** One of several ways to do the same thing. */
export type Variant = { readonly name: string; readonly sample: () => Promise<Figures> };

/** The measured work. It is the same for all variants, which take turns. */
export type Case = { readonly name: string; readonly variants: readonly Variant[] };

export type Context = {
  /** The smoke test: one small sample. */
  readonly quick: boolean;
  /** `path=value` or `path=one|other`: values of the scenario to compare. */
  readonly sets: readonly string[];
  /** Prints a remark with the figures. */
  readonly note: (text: string) => void;
};

export type Benchmark = {
  readonly name: string;
  readonly question: string;
  /** Programs it requires. If one is missing, the benchmark is skipped. */
  readonly needs: readonly string[];
  readonly minutes: { readonly quick: number; readonly full: number };
  /** The figures, with their titles and units in tables. */
  readonly figures: Readonly<Record<string, string>>;
  /** The figure to compare with that of the named variant. If absent, nothing is compared. */
  readonly ratio?: { readonly of: string; readonly to: string };
  /** The requirements of a case exist while it is the current one. */
  cases(context: Context): AsyncGenerator<Case>;
};
