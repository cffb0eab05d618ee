/** What `schema` can describe. */
export const SCHEMAS = ['scenario', 'summary', 'reference'] as const;

export type SchemaName = (typeof SCHEMAS)[number];
