import type { Family } from '../../exposition/family.ts';
import { type HttpAnswer, jsonAnswer } from '../../http/answer.ts';
import type { Observations } from '../observations/observer.ts';
import { serverFamilies } from './server-families.ts';
import type { ServerCounts } from './traffic.ts';

/** What the server's own pages show. */
export type PageSources = {
  readonly counts: () => ServerCounts;
  /** What the server saw of the pushes it got. */
  readonly observations: () => Observations;
};

/** The server's own page at this path; undefined: there is none. No key is needed: nothing in them is secret. */
export function pageAt(
  path: string,
  accept: string | undefined,
  { counts, observations }: PageSources,
): Promise<HttpAnswer> | undefined {
  switch (path) {
    case '/healthz':
      return Promise.resolve(jsonAnswer(200, { status: 'ok' }));
    case '/metrics':
      return metricsPage(serverFamilies(counts(), observations()), accept);
    default:
      return undefined;
  }
}

/** Most servers are never asked for it, and start without what it takes. */
async function metricsPage(families: readonly Family[], accept: string | undefined): Promise<HttpAnswer> {
  const { expositionAnswer } = await import('../../exposition/answer.ts');
  return expositionAnswer(families, accept);
}
