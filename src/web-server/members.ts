/**
 * The text members of a JSON object as Go's decoder takes them: names in any letter case, of two with one name the
 * last, others ignored, what is absent or null empty. Undefined: not JSON, or a member that is no text.
 */
export function readTextMembers<Name extends string>(
  body: Buffer,
  names: readonly Name[],
): Readonly<Record<Name, string>> | undefined {
  const parsed = parse(body);
  if (parsed === undefined || typeof (parsed ?? {}) !== 'object' || Array.isArray(parsed)) return undefined;
  const found = Object.fromEntries(names.map((name) => [name, ''])) as Record<Name, string>;
  for (const [written, value] of Object.entries(parsed ?? {})) {
    // To upper case first: the long s, too, is an s then.
    const name = names.find((known) => known === written.toUpperCase().toLowerCase());
    if (name === undefined || value === null) continue;
    if (typeof value !== 'string') return undefined;
    found[name] = value.toWellFormed();
  }
  return found;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
