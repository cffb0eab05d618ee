import type { InferredOptionTypes } from 'yargs';
import { listFlag, textFlag } from './common.ts';

const PLACE = { group: 'Host:' } as const;

/** Where hosts go on the monitoring server. */
export const PLACE_FLAGS = {
  container: textFlag('ID of the container for the hosts; default: from the scenario, or 1', PLACE),
  'host-template': textFlag('ID of the host template; default: from the scenario, or 1', PLACE),
  'host-group': listFlag('ID of a host group for the hosts; repeatable', PLACE),
  tag: listFlag('Tag of the hosts, in addition to muster; repeatable', PLACE),
  satellite: textFlag('ID of their satellite; 0: the master; default: from the scenario, or 0', PLACE),
} as const;

export const PLACE_NAMES = ['container', 'host-template', 'host-group', 'tag', 'satellite'] as const;

export type PlaceFlags = Partial<InferredOptionTypes<typeof PLACE_FLAGS>> & {
  readonly services?: boolean | undefined;
};
