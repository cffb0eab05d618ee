import { type HttpAnswer, jsonAnswer } from '../../http/answer.ts';
import type { Observations } from '../observations/observer.ts';
import { OPEN_METRICS_TYPE, openMetricsText } from './open-metrics.ts';
import type { ServerCounts } from './traffic.ts';

/** What the server's own pages show. */
export type PageSources = {
  readonly counts: () => ServerCounts;
  /** What the server saw of the pushes it got. */
  readonly observations: () => Observations;
};

/** The server's own page at this path; undefined: there is none. No key is needed: nothing in them is secret. */
export function pageAt(path: string, { counts, observations }: PageSources): HttpAnswer | undefined {
  switch (path) {
    case '/healthz':
      return jsonAnswer(200, { status: 'ok' });
    case '/metrics':
      return { status: 200, type: OPEN_METRICS_TYPE, body: openMetricsText(counts(), observations()) };
    default:
      return undefined;
  }
}
