import type { InferredOptionTypes } from 'yargs';
import { listFlag, textFlag } from './common.ts';

/** Where hosts go on the monitoring server. */
export const PLACE_FLAGS = {
  container: textFlag('ID of the container for the hosts; default: from the scenario, or 1'),
  'host-template': textFlag('ID of the host template; default: from the scenario, or 1'),
  'host-group': listFlag('ID of a host group for the hosts; repeatable'),
  tag: listFlag('Tag of the hosts, in addition to muster; repeatable'),
  satellite: textFlag('ID of the satellite that monitors the hosts; 0: the master; default: from the scenario, or 0'),
} as const;

export const PLACE_NAMES = ['container', 'host-template', 'host-group', 'tag', 'satellite'] as const;

export type PlaceFlags = Partial<InferredOptionTypes<typeof PLACE_FLAGS>> & {
  readonly services?: boolean | undefined;
};
