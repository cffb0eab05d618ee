import { instant } from '../../notation/instant.ts';
import { positiveDuration, wholeNumberFrom } from '../../notation/quantities.ts';
import { filledText, section } from '../../notation/section.ts';

/** What the embedded server does at agents that listen; the defaults are those of the real one. */
export const pull = section({
  every: positiveDuration
    .prefault('60s')
    .meta({ description: 'How often each agent is asked for its check data.', examples: ['10s', '60s'] }),
  packages: positiveDuration
    .prefault('60m')
    .meta({ description: 'How often each agent is asked for its package information.', examples: ['30s', '60m'] }),
  timeout: positiveDuration
    .prefault('30s')
    .meta({ description: 'Time for one request with its answer.', examples: ['5s', '30s'] }),
  concurrency: wholeNumberFrom(1, 100_000)
    .default(64)
    .meta({
      description: 'Exchanges and pushed configurations under way at once; polls come when they are due.',
      examples: [64],
    }),
  config: filledText.optional().meta({
    description:
      'A `config.ini` that every agent is given, relative to this file; needs `webServer.configPush`. Left out: none.',
    examples: ['agent.ini'],
  }),
  configAt: instant.optional().meta({
    description: 'When they are given it. Left out: right after the exchange of certificates.',
    examples: ['steady+5s', '12s'],
  }),
});
