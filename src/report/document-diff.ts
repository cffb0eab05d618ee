/** Any JSON value. Numbers keep their source text, so that 64-bit integers and `1.0` stay as written. */
type ExactJson = string | boolean | null | ExactNumber | readonly ExactJson[] | { readonly [key: string]: ExactJson };

type ExactNumber = { readonly rawJSON: string };

// Part of the language since ES2025 ("JSON.parse source text access"), but still missing in TypeScript's library.
declare global {
  interface JSON {
    rawJSON(text: string): ExactNumber;
    isRawJSON(value: unknown): boolean;
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { source: string }) => unknown,
    ): unknown;
  }
}

/**
 * Parses JSON without rounding numbers.
 * @throws SyntaxError if the text is not JSON.
 */
export function parseExactly(text: string): ExactJson {
  return JSON.parse(text, (_key, value: unknown, context) =>
    typeof value === 'number' ? JSON.rawJSON(context.source) : value,
  ) as ExactJson;
}

/** Formats the document with one member or element per line. */
export function indented(text: string): string {
  return JSON.stringify(parseExactly(text), null, 2);
}

/** Whether a value is a number from `parseExactly`. */
function isExactNumber(value: ExactJson): value is ExactNumber {
  return JSON.isRawJSON(value);
}

/** One difference between two documents; a side that lacks the path has no text. */
type DocumentDifference = {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
};

/**
 * Differences between two documents, in the order of the first one. List elements are matched by an identifying member, such as
 * a process's PID or a unit's name, or by index if they have none.
 */
export function documentDifferences(
  before: ExactJson | undefined,
  after: ExactJson | undefined,
  path = '',
): DocumentDifference[] {
  const left = childrenOf(before);
  const right = childrenOf(after);
  const alike = Array.isArray(before) === Array.isArray(after);
  if (left === undefined || right === undefined || !alike) return leafDifference(before, after, path);
  const keys = new Set([...left.keys(), ...right.keys()]);
  return [...keys].flatMap((key) => documentDifferences(left.get(key), right.get(key), `${path}/${key}`));
}

/** A line for display: `/cpu/cpu_total_percentage: 3.5 → 4.1`. */
export function differenceText({ path, before, after }: DocumentDifference): string {
  if (before === undefined) return `+ ${path}: ${after}`;
  if (after === undefined) return `- ${path}: ${before}`;
  return `  ${path}: ${before} → ${after}`;
}

function leafDifference(
  before: ExactJson | undefined,
  after: ExactJson | undefined,
  path: string,
): DocumentDifference[] {
  const [left, right] = [textOf(before), textOf(after)];
  return left === right ? [] : [{ path, before: left, after: right }];
}

function textOf(value: ExactJson | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

function childrenOf(value: ExactJson | undefined): Map<string, ExactJson> | undefined {
  if (value === undefined || value === null || typeof value !== 'object' || isExactNumber(value)) return undefined;
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  const elements = value as readonly ExactJson[];
  const names = elements.map(nameOf);
  const usable = names.every((name) => name !== undefined) && new Set(names).size === names.length;
  return new Map(elements.map((element, index) => [usable ? (names[index] ?? '') : String(index), element]));
}

const NAMING_MEMBERS = ['pid', 'Name', 'Label', 'name', 'label', 'id', 'UpdateID', 'Title'] as const;

function nameOf(element: ExactJson): string | undefined {
  if (element === null || typeof element !== 'object' || Array.isArray(element) || isExactNumber(element))
    return undefined;
  const members = element as { readonly [key: string]: ExactJson };
  const name = NAMING_MEMBERS.map((member) => members[member]).find((value) => value !== undefined);
  if (name !== undefined) return typeof name === 'string' ? name : JSON.stringify(name);
  return members.disk === undefined ? undefined : nameOfDisk(members.disk);
}

function nameOfDisk(disk: ExactJson): string | undefined {
  const mountPoint = (disk as { readonly mountpoint?: ExactJson } | null)?.mountpoint;
  return typeof mountPoint === 'string' ? mountPoint.replaceAll('/', '~') : undefined;
}
