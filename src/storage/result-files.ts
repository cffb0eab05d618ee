/** Names inside a run's folder of results, and of the link beside it that leads to the newest run. */
export const RESULT_FILES = {
  summary: 'summary.json',
  histograms: 'histograms.hlog',
  timeline: 'timeline.ndjson',
  scenario: 'scenario.yaml',
  latest: 'latest',
} as const;
