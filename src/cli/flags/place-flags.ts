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
  const { container, satellite, 'host-template': template, 'host-group': groups, tag: tags } = flags;
  return {
    container: readFlag('container', { container }, numberFrom(1)) ?? written.container,
    hostTemplate: readFlag('host-template', { 'host-template': template }, numberFrom(1)) ?? written.hostTemplate,
    hostGroups:
      groups?.map((group) => readFlag('host-group', { 'host-group': group }, numberFrom(1))) ?? written.hostGroups,
    tags: tags?.slice() ?? written.tags,
    satellite: readFlag('satellite', { satellite }, numberFrom(0)) ?? written.satellite,
    services: flags.services ?? written.services,
  };
}
