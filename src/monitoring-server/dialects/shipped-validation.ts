import { COMPOSITE, type Envelope, type Field, textOf } from '../json/envelope.ts';
import { COLUMN_LENGTHS, type Column } from '../registrations/registrations.ts';

/** The texts of broken rules by column and rule. */
export type ValidationErrors = Readonly<Partial<Record<Column, Readonly<Record<string, string>>>>>;

/** What keeps a new agent out of the server's table; undefined: nothing. */
export function validationErrors({ agentuuid, hostname, ipaddress }: Envelope): ValidationErrors | undefined {
  const columns: readonly (readonly [Column, Field])[] = [
    ['uuid', agentuuid],
    ['hostname', hostname],
    ['ipaddress', ipaddress],
  ];
  const broken = columns.flatMap(([column, field]) => {
    const rule = brokenRule(column, field);
    return rule === undefined ? [] : [[column, rule] as const];
  });
  return broken.length === 0 ? undefined : Object.fromEntries(broken);
}

function brokenRule(column: Column, field: Field): Record<string, string> | undefined {
  if (column === 'uuid' && field === '') return { _empty: 'This field cannot be left empty' };
  if (field === COMPOSITE) return { scalar: 'The provided value must be scalar' };
  const longest = COLUMN_LENGTHS[column];
  // Characters, not UTF-16 units; a prefix is enough to tell.
  return [...textOf(field).slice(0, 2 * longest + 2)].length > longest
    ? { maxLength: `The provided value must be at most \`${longest}\` characters long` }
    : undefined;
}
