/** Where a value was written: in the scenario's text, or in a flag or environment variable laid over it. */
export type Place =
  /** Both count from 1. */
  | { readonly kind: 'text'; readonly line: number; readonly column: number }
  | { readonly kind: 'setting'; readonly source: string };

/** One thing wrong with a scenario. */
export type Fault = {
  readonly place: Place;
  /** Dotted, as `--set` takes it: `phases.1.checkdata.every`; empty for the file as a whole. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;
  /** The name that was probably meant. */
  readonly suggestion: string | undefined;
};

/** One line per fault, in the order of the text: `file:line:column: path: expected …, found …; did you mean …?` */
export function formatFaults(file: string, faults: readonly Fault[]): string {
  return faults.map((fault) => formatFault(file, fault)).join('\n');
}

function formatFault(file: string, fault: Fault): string {
  const { place, path, expected, found, suggestion } = fault;
  const where = place.kind === 'text' ? `${file}:${place.line}:${place.column}` : `${file}: ${place.source}`;
  const subject = path === '' ? '' : `${path}: `;
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
  return `${where}: ${subject}expected ${expected}, found ${found}${hint}`;
}

/** Text order first, then what flags and the environment brought. */
export function inReadingOrder(faults: readonly Fault[]): readonly Fault[] {
  return [...faults].sort((a, b) => {
    if (a.place.kind === 'setting' || b.place.kind === 'setting') return rank(a) - rank(b);
    return a.place.line - b.place.line || a.place.column - b.place.column;
  });
}

function rank(fault: Fault): number {
  return fault.place.kind === 'text' ? 0 : 1;
}
