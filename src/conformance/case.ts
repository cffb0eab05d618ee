/** How binding a rule is. By default, the first three decide the exit code. */
export const RULE_LEVELS = {
  written: 'the written API says so',
  agent: 'a real agent fails otherwise',
  server: 'a real monitoring server fails otherwise',
  shipped: 'released programs do so; versions may differ',
  note: 'worth knowing',
} as const;

export type RuleLevel = keyof typeof RULE_LEVELS;

/** A rule of an interface, as the page `docs/reference/conformance.md` and reports show it. */
export type Rule = {
  /** Section and number, such as `register.4`. A published number never gets another meaning. */
  readonly id: string;
  readonly level: RuleLevel;
  /** One sentence. */
  readonly rule: string;
  /** Where the rule is from, if the level does not say it; see `sourceOf`. */
  readonly source?: string;
  /** What goes wrong otherwise; required at the levels `agent` and `server`. */
  readonly why?: string;
  /** What a good engineer would expect, where that is wrong. */
  readonly guess?: string;
  /** What the released program does, where it breaks the rule. */
  readonly observed?: string;
  /** What Muster's own side does, where it breaks the rule; by dialect if they differ. */
  readonly muster?: string | { readonly documented?: string; readonly shipped?: string };
};

type WithoutHead<Case> = Case extends unknown ? Omit<Case, 'id' | 'level' | 'rule'> : never;
type CaseMaker<Case> = (id: string, rule: string, rest: WithoutHead<Case>) => Case;

/** What makes cases of each level: `shipped('key.12', 'Of two keys, that in the query counts.', { … })`. */
export function casesOf<Case extends Rule>(): Readonly<Record<RuleLevel, CaseMaker<Case>>> {
  const makers = Object.keys(RULE_LEVELS).map((level) => [
    level,
    (id: string, rule: string, rest: object) => ({ id, level, rule, ...rest }),
  ]);
  return Object.fromEntries(makers) as Record<RuleLevel, CaseMaker<Case>>;
}

export type CaseVerdict =
  | { readonly kind: 'holds' }
  | { readonly kind: 'broken'; readonly expected: string; readonly found: string }
  /** Something that the case needs is missing. */
  | { readonly kind: 'untried'; readonly why: string };

/** The beginning of bytes on the wire, and how many there were. */
export type WireBytes = { readonly bytes: Buffer; readonly sizeBytes: number };

/** What went over one connection. */
export type WireLog = {
  readonly sent: WireBytes;
  readonly received: WireBytes;
  /** Since the start of the case. */
  readonly startedMs: number;
  readonly endedMs: number;
  /** How it ended, such as `closed by the server`. */
  readonly end: string;
};

/** A case that was tried once. */
export type CaseAttempt = {
  readonly verdict: CaseVerdict;
  readonly wire: readonly WireLog[];
  /** Lines for a shell that repeat the case; empty if a shell cannot. */
  readonly repeat: readonly string[];
};

export type CaseResult = CaseAttempt & { readonly rule: Rule; readonly elapsedMs: number };

/** What was found instead of what the rule says, or why it cannot be judged; `undefined` if the rule holds. */
export type Deviation = string | { readonly untried: string } | undefined;

/** The text of a value that should have been another. */
export function deviationUnless(holds: boolean, found: unknown): Deviation {
  if (holds) return undefined;
  return typeof found === 'string' ? found : (JSON.stringify(found) ?? 'nothing');
}

export function verdictOf(expected: string, deviation: Deviation): CaseVerdict {
  if (deviation === undefined) return { kind: 'holds' };
  if (typeof deviation === 'object') return { kind: 'untried', why: deviation.untried };
  return { kind: 'broken', expected, found: deviation };
}

const SOURCES: Readonly<Record<RuleLevel, string>> = {
  written: 'written API',
  agent: 'agent 3.6.1, observed',
  server: 'server 5.3.0, observed',
  shipped: 'server 5.3.0, observed',
  note: 'server 5.3.0, observed',
};

/** Section of the written API, a standard, or the program and version that was observed. */
export function sourceOf({ source, level }: Rule): string {
  return source ?? SOURCES[level];
}

/** The section of a rule: `register` of `register.4`. */
export function sectionOf({ id }: Rule): string {
  return id.slice(0, id.lastIndexOf('.'));
}
