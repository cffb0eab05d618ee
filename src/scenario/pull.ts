import { resolve } from 'node:path';
import type { z } from 'zod';
import { type Finding, keyFinding } from '../base/notation/finding.ts';
import { fromStart, instant, instantOf } from '../base/notation/instant.ts';
import { positiveDuration, wholeNumberFrom } from '../base/notation/quantities.ts';
import { valueAtPath } from '../base/notation/schema-findings.ts';
import { filledText, section } from '../base/notation/section.ts';
import type { Phase } from '../load/timeline.ts';
import type { WebServerFile } from './web-server.ts';

export type Pull = {
  readonly everyMs: number;
  readonly packagesEveryMs: number;
  readonly timeoutMs: number;
  /** Maximum number of exchanges and configuration pushes in flight. */
  readonly concurrency: number;
  /** A `config.ini` for every agent. */
  readonly configFile: string | undefined;
  /** Time from the start of the run; `undefined` for right after the certificate exchange. */
  readonly configAtMs: number | undefined;
};

/** How the embedded server polls listening agents; the defaults are those of the real server. */
export const pull = section({
  every: positiveDuration
    .prefault('60s')
    .meta({ description: 'Interval of polls for check data.', examples: ['10s', '60s'] }),
  packages: positiveDuration
    .prefault('60m')
    .meta({ description: 'Interval of polls for package information.', examples: ['30s', '60m'] }),
  timeout: positiveDuration
    .prefault('30s')
    .meta({ description: 'Timeout of one request with its answer.', examples: ['5s', '30s'] }),
  concurrency: wholeNumberFrom(1, 100_000)
    .default(64)
    .meta({
      description: 'Most certificate exchanges and configuration pushes in flight; polls have no limit.',
      examples: [64],
    }),
  config: filledText.optional().meta({
    description:
      'A `config.ini` to push to every agent, relative to this file; needs `webServer.configPush`. Left out: none.',
    examples: ['agent.ini'],
  }),
  configAt: instant.optional().meta({
    description: 'When to push the configuration. Left out: right after the certificate exchange.',
    examples: ['steady+5s', '12s'],
  }),
})
  .optional()
  .meta({
    description: 'Makes the embedded server poll listening agents; needs `webServer`. Left out: no polls.',
    examples: [{ every: '10s', packages: '30s', config: 'agent.ini', configAt: 'steady+5s' }],
  });

export type PullFile = NonNullable<z.output<typeof pull>>;

export function pullOf({ config, configAt, ...file }: PullFile, folder: string, phases: readonly Phase[]): Pull {
  return {
    everyMs: file.every,
    packagesEveryMs: file.packages,
    timeoutMs: file.timeout,
    concurrency: file.concurrency,
    configFile: config === undefined ? undefined : resolve(folder, config),
    configAtMs: configAt && instantOf(configAt, phases),
  };
}

/** The inverse of `pullOf`. */
export function pullFile({ everyMs, packagesEveryMs, timeoutMs, concurrency, configFile, configAtMs }: Pull): PullFile {
  return {
    every: everyMs,
    packages: packagesEveryMs,
    timeout: timeoutMs,
    concurrency,
    config: configFile,
    configAt: configAtMs === undefined ? undefined : fromStart(configAtMs),
  };
}

const PATH = ['target', 'pull'];

/** Conflicts of pull settings with the agents' web servers. */
export function pullFindings(
  { webServer }: { readonly webServer?: Partial<WebServerFile> },
  raw: unknown,
): readonly Finding[] {
  const pull = valueAtPath(raw, PATH);
  if (pull === undefined) return [];
  const has = (key: string) => valueAtPath(pull, [key]) !== undefined;
  const findings: Finding[] = [];
  if (valueAtPath(raw, ['webServer']) === undefined) {
    const expected = 'a section webServer with pull, because only listening agents can be polled';
    findings.push(keyFinding(PATH, expected, 'none'));
  }
  if (has('config') && webServer?.configPush === false) {
    const expected = 'webServer.configPush: true with config, otherwise agents reject it';
    findings.push(keyFinding([...PATH, 'config'], expected, 'none'));
  }
  if (has('configAt') && !has('config'))
    findings.push(keyFinding([...PATH, 'configAt'], 'config with configAt', 'none'));
  return findings;
}
