/**
 * `documented`: the statuses and bodies the written API promises. `shipped`: what the released server's code does,
 * in its order of evaluation (docs/protocol.md, "Where the written API and the shipped code differ").
 */
export const DIALECT_NAMES = ['documented', 'shipped'] as const;

export type DialectName = (typeof DIALECT_NAMES)[number];
