import { resolve } from 'node:path';
import type { z } from 'zod';
import { formatDuration } from '../kernel/units.ts';
import type { Phase } from '../load/timeline.ts';
import { type Finding, onKey } from '../notation/finding.ts';
import { instant, instantOf } from '../notation/instant.ts';
import { positiveDuration, wholeNumberFrom } from '../notation/quantities.ts';
import { valueAtPath } from '../notation/schema-findings.ts';
import { filledText, section } from '../notation/section.ts';
import { escaped } from './reading/variables.ts';
import type { WebServerFile } from './web-server.ts';

export type Pull = {
  readonly everyMs: number;
  readonly packagesEveryMs: number;
  readonly timeoutMs: number;
  /** Requests under way at once. */
  readonly concurrency: number;
  /** A `config.ini` that every agent is told. */
  readonly configFile: string | undefined;
  /** From the run's start; undefined: right after the exchange of certificates. */
  readonly configAtMs: number | undefined;
};

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
})
  .optional()
  .meta({
    description:
      'Lets the embedded server exchange certificates with agents that listen, and ask them; needs `webServer`. Left out: it asks nothing.',
    examples: [{ every: '10s', packages: '30s', config: 'agent.ini', configAt: 'steady+5s' }],
  });

export type PullFile = NonNullable<z.output<typeof pull>>;

export function pullOf(
  { every, packages, timeout, concurrency, config, configAt }: PullFile,
  folder: string,
  phases: readonly Phase[],
): Pull {
  return {
    everyMs: every,
    packagesEveryMs: packages,
    timeoutMs: timeout,
    concurrency,
    configFile: config === undefined ? undefined : resolve(folder, config),
    configAtMs: configAt && instantOf(configAt, phases),
  };
}

/** The section that reads as this. */
export function writtenPull({
  everyMs,
  packagesEveryMs,
  timeoutMs,
  concurrency,
  configFile,
  configAtMs,
}: Pull): object {
  return {
    every: formatDuration(everyMs),
    packages: formatDuration(packagesEveryMs),
    timeout: formatDuration(timeoutMs),
    concurrency,
    ...escaped({ config: configFile }),
    configAt: configAtMs === undefined ? undefined : formatDuration(configAtMs),
  };
}

const PATH = ['target', 'pull'];

/** What is wrong with what the embedded server asks for, beside the agents' web servers. */
export function pullFindings(
  { webServer }: { readonly webServer?: Partial<WebServerFile> },
  raw: unknown,
): readonly Finding[] {
  const pull = valueAtPath(raw, PATH);
  if (pull === undefined) return [];
  const has = (key: string) => valueAtPath(pull, [key]) !== undefined;
  const findings: Finding[] = [];
  if (valueAtPath(raw, ['webServer']) === undefined) {
    const expected = 'a section webServer beside pull, as only agents that listen can be pulled';
    findings.push(onKey(PATH, expected, 'none'));
  }
  if (has('config') && webServer?.configPush === false) {
    const expected = 'webServer.configPush: true beside config, else agents refuse it';
    findings.push(onKey([...PATH, 'config'], expected, 'none'));
  }
  if (has('configAt') && !has('config'))
    findings.push(onKey([...PATH, 'configAt'], 'a config beside configAt, which says when it is told', 'none'));
  return findings;
}
