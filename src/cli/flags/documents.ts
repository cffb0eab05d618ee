/** What `inspect` can show of an agent. */
export const DOCUMENTS = ['checkdata', 'packages', 'identity', 'config'] as const;
export type DocumentName = (typeof DOCUMENTS)[number];
