import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { shares, statesOfMonth } from '../../scripts/host-states.ts';

/** One host in this many is looked at each time. */
const ONE_IN = 24;

it('hosts reach WARNING and CRITICAL over a month as often as the page for developers says', () => {
  const page = readFileSync('docs/developers/hosts.md', 'utf8');
  const seen = [...statesOfMonth(ONE_IN).byService].map(([service, counts]) => {
    const row = new RegExp(`^\\| ${service} \\| (.*)% \\| (.*)% \\| (.*)% \\|$`, 'm').exec(page);
    const stated = (row ?? []).slice(1).map(Number);
    // Figures of few alarms are uncertain, and those of the page are rounded.
    const fits = shares(counts).map((share, place) => Math.abs(share - (stated[place] ?? -100)) < 0.09 + 0.2 * share);
    return [service, ...fits.slice(1)];
  });
  expect(seen).toEqual(
    ['CPU', 'load', 'memory', 'swap', 'disk load', 'fullest disk', 'updates'].map((service) => [service, true, true]),
  );
});
