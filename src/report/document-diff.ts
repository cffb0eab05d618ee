import { isMembers, parseExactly } from '../base/protocol/exact-json.ts';

/** Formats the document with one member or element per line; numbers keep their digits. */
export function indented(text: string): string {
  return JSON.stringify(parseExactly(text), null, 2);
}

/** One difference between two documents; a side that lacks the path has no text. */
type DocumentDifference = {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
};

/** Differences between two documents from `parseExactly`. List elements match by an identifying member, such as PID or name, else by index. */
export function documentDifferences(before: unknown, after: unknown, path = ''): DocumentDifference[] {
  const left = childrenOf(before);
  const right = childrenOf(after);
  const alike = Array.isArray(before) === Array.isArray(after);
  if (left === undefined || right === undefined || !alike) {
    const [old, recent] = [textOf(before), textOf(after)];
    return old === recent ? [] : [{ path, before: old, after: recent }];
  }
  const keys = new Set([...left.keys(), ...right.keys()]);
  return [...keys].flatMap((key) => documentDifferences(left.get(key), right.get(key), `${path}/${key}`));
}

/** A line for display: `/cpu/cpu_total_percentage: 3.5 → 4.1`. */
export function differenceText({ path, before, after }: DocumentDifference): string {
  if (before === undefined) return `+ ${path}: ${after}`;
  if (after === undefined) return `- ${path}: ${before}`;
  return `  ${path}: ${before} → ${after}`;
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

/** Members by name, or elements by their identifying member; `undefined` for a value without parts. */
function childrenOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (isMembers(value)) return new Map(Object.entries(value));
  if (!Array.isArray(value)) return undefined;
  const names = value.map(nameOf);
  const usable = names.every((name) => name !== undefined) && new Set(names).size === names.length;
  return new Map(value.map((element, index) => [usable ? (names[index] ?? '') : String(index), element]));
}

const NAMING_MEMBERS = ['pid', 'Name', 'Label', 'name', 'label', 'id', 'UpdateID', 'Title'] as const;

function nameOf(element: unknown): string | undefined {
  if (!isMembers(element)) return undefined;
  const name = NAMING_MEMBERS.map((member) => element[member]).find((value) => value !== undefined);
  if (name !== undefined) return typeof name === 'string' ? name : JSON.stringify(name);
  const { disk } = element;
  return isMembers(disk) && typeof disk.mountpoint === 'string' ? disk.mountpoint.replaceAll('/', '~') : undefined;
}
