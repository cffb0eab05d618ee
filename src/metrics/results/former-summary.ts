/** The schema version before the present one. */
export const FORMER_SCHEMA_VERSION = 1;

const OPERATIONS: Readonly<Record<string, string>> = { submit_checkdata: 'checkdata', submit_package_info: 'packages' };
const MEMBERS: Readonly<Record<string, string>> = { witnessed: 'observed', faults: 'problems' };

/**
 * What schema version 1 said, in the words of the present one. What it did not know is empty: profiles, warnings, and how
 * long a worker stood still. `summary` is checked by nobody yet.
 */
export function fromFormerVersion(summary: object, presentVersion: number): object {
  const { validity, delivery, scenario, ...rest } = renamed(summary, OPERATIONS) as Record<string, object>;
  return {
    ...rest,
    schemaVersion: presentVersion,
    validity: { stalledMs: 0, ...renamed(validity, MEMBERS) },
    delivery: renamed(delivery, MEMBERS),
    scenario: scenario ?? {},
    profiles: [],
    warnings: [],
  };
}

/** The same with other names, for members at any depth and for names of operations as values. */
function renamed<Value>(value: Value, names: Readonly<Record<string, string>>): Value {
  const change = (part: unknown): unknown => {
    if (typeof part === 'string') return names === OPERATIONS ? (names[part] ?? part) : part;
    if (Array.isArray(part)) return part.map(change);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [names[key] ?? key, change(inner)]));
  };
  return change(value) as Value;
}
