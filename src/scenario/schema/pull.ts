import { instant } from '../../notation/instant.ts';
import { positiveDuration, wholeNumberFrom } from '../../notation/quantities.ts';
import { filledText, section } from '../../notation/section.ts';

/** What the embedded server does at agents that listen; the defaults are those of the real one. */
export const pull = section({
  every: positiveDuration.prefault('60s').describe('Asks each agent for its check data in this interval.'),
  packages: positiveDuration.prefault('60m').describe('Asks each agent for its packages in this interval.'),
  timeout: positiveDuration.prefault('30s').describe('Time for one whole request.'),
  concurrency: wholeNumberFrom(1, 100_000)
    .default(64)
    .describe('Exchanges and pushed configurations under way at once; polls come when they are due.'),
  config: filledText.optional().describe('A `config.ini` that every agent is told, relative to this file.'),
  configAt: instant.optional().describe('When they are told it; default: right after the exchange of certificates.'),
});
