/** What build servers are given. */
export const REPORT_FLAGS = {
  junit: { type: 'string', requiresArg: true, describe: 'Write thresholds and validity as JUnit XML to this file' },
} as const;

export type ReportFlags = { readonly junit: string | undefined };
