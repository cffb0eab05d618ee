import type { InferredOptionTypes } from 'yargs';
import { DEFAULT_PROVISION, type Provision } from '../../scenario/provision.ts';
import { listFlag, textFlag } from './common.ts';
import { numberFrom, readFlag } from './values.ts';

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

/** The settings of a scenario, unless flags replace them. */
export function hostPlaceOf(flags: PlaceFlags, written: Provision = DEFAULT_PROVISION): Provision {
  const groups = flags['host-group']?.map((text) => readFlag('host-group', { 'host-group': text }, numberFrom(1)));
  return {
    container: readFlag('container', flags, numberFrom(1)) ?? written.container,
    hostTemplate: readFlag('host-template', flags, numberFrom(1)) ?? written.hostTemplate,
    hostGroups: groups ?? written.hostGroups,
    tags: flags.tag?.slice() ?? written.tags,
    satellite: readFlag('satellite', flags, numberFrom(0)) ?? written.satellite,
    services: flags.services ?? written.services,
  };
}
