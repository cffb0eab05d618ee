import { z } from 'zod';
import { wholeNumberFrom } from '../base/notation/quantities.ts';
import { section, textLike, trueOrFalse } from '../base/notation/section.ts';

const TAG = 'a tag without commas and line breaks';
const WANTED = 'true, or a section such as { hostTemplate: 3, services: true }';

const tag = textLike(/^[^,\r\n]+$/, TAG).meta({ description: 'A tag.', examples: ['load-test'] });

/** What a running fleet gives its agents on the monitoring server; IDs are those of the server. */
const settings = section({
  container: wholeNumberFrom(1)
    .default(1)
    .meta({ description: 'ID of the container for the hosts.', examples: [1] }),
  hostTemplate: wholeNumberFrom(1)
    .default(1)
    .meta({ description: 'ID of the host template.', examples: [3] }),
  hostGroups: z
    .array(wholeNumberFrom(1).meta({ description: 'An ID.', examples: [4] }), 'a list of IDs of host groups')
    .default([])
    .meta({ description: 'IDs of host groups for the hosts.', examples: [[4]] }),
  tags: z
    .array(tag, 'a list of tags')
    .default([])
    .meta({ description: 'Tags of the hosts, in addition to `muster`.', examples: [['load-test']] }),
  satellite: wholeNumberFrom(0)
    .default(0)
    .meta({ description: 'ID of the satellite that monitors the hosts; 0: the master.', examples: [0] }),
  services: trueOrFalse.default(false).describe('Whether to create all services that the server offers.'),
}).meta({
  description: 'Places the hosts, and may add their services.',
  examples: [{ hostTemplate: 3, tags: ['load-test'], services: true }],
});

export type Provision = z.output<typeof settings>;

export const fleetProvision = z
  .union([z.literal(true).describe('All settings have their defaults.'), settings], WANTED)
  .meta({
    description:
      'Gives each agent a host on the target once it has registered, as `muster provision` does. Left out: no hosts.',
    examples: [true, { hostTemplate: 3, services: true }],
  });

export const DEFAULT_PROVISION: Provision = settings.parse({});

export function provisionOf(file: z.output<typeof fleetProvision>): Provision {
  return file === true ? DEFAULT_PROVISION : file;
}
