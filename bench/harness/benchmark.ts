/** What one sample found, by the names of the benchmark's figures. */
export type Figures = Readonly<Record<string, number>>;

/** One of several ways to do the same thing. */
export type Variant = { readonly name: string; readonly sample: () => Promise<Figures> };

/** What is done: the same for all variants, which take turns. */
export type Case = { readonly name: string; readonly variants: readonly Variant[] };

export type Context = {
  /** The smoke form: one sample of little. */
  readonly quick: boolean;
  /** `path=value` or `path=one|other`: values of the scenario to compare. */
  readonly sets: readonly string[];
  /** Says beside the figures what a reader has to know. */
  readonly note: (text: string) => void;
};

export type Benchmark = {
  readonly name: string;
  readonly question: string;
  /** Programs without which it is skipped. */
  readonly needs: readonly string[];
  readonly minutes: { readonly quick: number; readonly full: number };
  /** What is measured, and how a table calls it, with its unit. */
  readonly figures: Readonly<Record<string, string>>;
  /** The figure that is held against the variant of this name; without it, nothing is compared. */
  readonly ratio?: { readonly of: string; readonly to: string };
  /** What a case needs is there while it is the current one. */
  cases(context: Context): AsyncGenerator<Case>;
};
