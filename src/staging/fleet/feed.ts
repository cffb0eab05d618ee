import type { TimelineFrame } from '../../metrics/merging/timeline.ts';
import type { RunEvent } from '../../run/run.ts';
import type { Scenario } from '../../scenario/scenario.ts';

export type FleetNews =
  | RunEvent
  /** The fleet continues with another scenario. */
  | { readonly kind: 'applied'; readonly scenario: Scenario };

type Subscriber = (news: FleetNews) => void;

/** News of a fleet for several subscribers. */
export type Feed = {
  readonly publish: Subscriber;
  /** Calls the subscriber with all news until the returned function is called. */
  readonly subscribe: (subscriber: Subscriber) => () => void;
  /** Last complete second; `undefined` if there is none yet. */
  readonly newest: () => TimelineFrame | undefined;
};

export function createFeed(...first: readonly Subscriber[]): Feed {
  const subscribers = new Set(first);
  let newest: TimelineFrame | undefined;
  return {
    publish: (news) => {
      if (news.kind === 'seconds') newest = news.seconds.at(-1) ?? newest;
      for (const subscriber of subscribers) subscriber(news);
    },
    subscribe: (subscriber) => {
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },
    newest: () => newest,
  };
}
