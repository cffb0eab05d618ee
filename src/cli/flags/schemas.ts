/** What `schema` can describe. */
export const SCHEMAS = ['scenario', 'summary'] as const;

export type SchemaName = (typeof SCHEMAS)[number];
