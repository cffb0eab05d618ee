import { type Answer, jsonAnswer } from '../http/answers.ts';
import type { Testimony } from '../witness/witness.ts';
import { OPEN_METRICS_TYPE, openMetricsText } from './open-metrics.ts';
import type { ServerCounts } from './traffic.ts';

/** What the server's own pages show. */
export type PageSources = {
  readonly counts: () => ServerCounts;
  /** What the server saw of the pushes it got. */
  readonly testimony: () => Testimony;
};

/** The server's own page at this path; undefined: there is none. No key is needed: nothing in them is secret. */
export function pageAt(path: string, { counts, testimony }: PageSources): Answer | undefined {
  switch (path) {
    case '/healthz':
      return jsonAnswer(200, { status: 'ok' });
    case '/metrics':
      return { status: 200, type: OPEN_METRICS_TYPE, body: openMetricsText(counts(), testimony()) };
    default:
      return undefined;
  }
}
