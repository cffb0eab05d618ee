import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatedPart } from '../../scripts/generated-parts.ts';
import { FOREIGN_WORDS, foreignWordText, type WordContext, wordsOf } from '../../src/base/notation/foreign-words.ts';
import { commandName } from '../../src/cli/command.ts';
import { CTL_COMMANDS } from '../../src/cli/commands/ctl.ts';
import { COMMANDS } from '../../src/cli/muster.ts';
import { scenarioSchema } from '../../src/scenario/file.ts';
import { muster } from './muster.ts';

const commands = Object.values(COMMANDS).flatMap((group) => group.map(({ command }) => command));
const flags = new Set([...commands, ...Object.values(CTL_COMMANDS)].flatMap((command) => Object.keys(command.flags)));
const texts = Object.values(FOREIGN_WORDS).flatMap((rows) => rows.map((row) => ('use' in row ? row.use : row.none)));

/** What users of these tools type. */
const TYPED: Readonly<Record<string, Partial<Record<WordContext, string>>>> = {
  k6: {
    flag: 'vus u iterations i stage rps tag e env summary-export insecure-skip-tls-verify no-connection-reuse http-debug execution-segment local-ips linger paused no-thresholds no-summary summary-trend-stats user-agent',
    scenario:
      'stages vus iterations executor scenarios tags headers insecureSkipTLSVerify noConnectionReuse preAllocatedVUs timeUnit gracefulStop abortOnFail http_req_duration http_req_failed http_reqs dropped_iterations checks options exec userAgent summaryTrendStats',
    command: 'status stats pause resume scale new archive cloud login version',
  },
  Gatling: {
    flag: 'simulation',
    scenario:
      'rampUsers rampUsersPerSec constantUsersPerSec atOnceUsers nothingFor constantConcurrentUsers during baseUrl assertions feeder pace pause rendezVous throttle reachRps shareConnections responseTime failedRequests',
  },
  Locust: {
    flag: 'f locustfile H host u users r spawn-rate run-time headless autostart web-port csv html master worker expect-workers processes tags exclude-tags stop-timeout loglevel reset-stats exit-code-on-error only-summary json-file',
    scenario:
      'users spawn_rate run_time host wait_time between constant_pacing constant_throughput weight tasks fixed_count',
  },
  Artillery: {
    flag: 'environment e k insecure overrides variables payload p dotenv config count num n output record name',
    scenario: 'config flow arrivalRate arrivalCount rampTo maxVusers think processor plugins ensure expect variables',
    command: 'quick convert run-fargate run-lambda',
  },
  JMeter: {
    flag: 'n l e J G R H P nongui testfile reportatendofloadtests jmeterproperty runremote proxyHost proxyPort',
    scenario: 'threads loops rampUp ThreadGroup num_threads ramp_time CSVDataSet throughput median average',
  },
  vegeta: {
    flag: 'rate targets body header insecure keepalive connections max-connections workers timeout redirects laddr root-certs cert key http2 h2c prometheus-addr name',
    command: 'attack plot encode dump',
  },
  oha: {
    flag: 'n c z latency-correction no-tui m method H T A basic-auth http-version disable-compression disable-keepalive host insecure cacert no-color',
  },
  wrk: { flag: 'c connections threads script H header latency timeout R rate' },
};

describe('the words of other tools', () => {
  it.each(Object.entries(TYPED))('have an answer if they are of %s', (_, places) => {
    const unanswered = Object.entries(places).flatMap(([place, words]) =>
      words.split(' ').filter((word) => !flags.has(word) && foreignWordText(place as WordContext, word) === undefined),
    );
    expect(unanswered).toEqual([]);
  });

  it.each(Object.keys(FOREIGN_WORDS) as WordContext[])('have one meaning each as %s', (place) => {
    const words = FOREIGN_WORDS[place].flatMap(wordsOf);
    expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
  });

  it('are no words of Muster in the same place', () => {
    const own: Readonly<Partial<Record<WordContext, readonly string[]>>> = {
      command: commands.map(commandName),
      ctl: Object.keys(CTL_COMMANDS),
      scenario: Object.keys(scenarioSchema.shape),
      flag: Object.keys(commands.find((one) => commandName(one) === 'run')?.flags ?? {}),
    };
    const both = Object.entries(own).flatMap(([place, names]) =>
      names.filter((name) => foreignWordText(place as WordContext, name) !== undefined),
    );
    expect(both).toEqual([]);
  });

  it('lead to commands and flags that exist', () => {
    const named = texts.flatMap((text) => [...text.matchAll(/\bmuster (?!has)([a-z]+)/g)].map(([, name = '']) => name));
    expect(named.filter((name) => !commands.some((one) => commandName(one) === name))).toEqual([]);
    const ofCtl = texts.flatMap((text) => [...text.matchAll(/\bmuster ctl ([a-z]+)/g)].map(([, name = '']) => name));
    expect(ofCtl.filter((name) => !Object.hasOwn(CTL_COMMANDS, name))).toEqual([]);
    const given = texts.flatMap((text) => [...text.matchAll(/(?<!muster )--([a-z-]+)/g)].map(([, name = '']) => name));
    expect(given.filter((name) => !flags.has(name))).toEqual([]);
    expect([named.length, ofCtl.length, given.length].every((count) => count > 5)).toBe(true);
  });

  it('are on the page for those who come from these tools, with what they are here', () => {
    const page = readFileSync(resolve(import.meta.dirname, '../../docs/how-to/coming-from.md'), 'utf8');
    expect(page).toContain(generatedPart('missing'));
    const [, table = ''] = /^\| You know \| In Muster \|\n([\s\S]*?)\n\n/m.exec(page) ?? [];
    const known = table.split('\n').flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([\w-]+)/g)]);
    const words = known.map(([, word = '']) => word.replace(/^-+/, ''));
    const places: readonly WordContext[] = ['scenario', 'flag'];
    expect(words.length).toBeGreaterThan(20);
    expect(
      words.filter(
        (word) =>
          word.length > 1 && !flags.has(word) && places.every((place) => foreignWordText(place, word) === undefined),
      ),
    ).toEqual([]);
  });

  it('are completed with what to use instead, unless Muster has a word that begins alike', async () => {
    const completed = async (...typed: string[]) =>
      (await muster(['--get-yargs-completions', 'muster', ...typed], { env: { SHELL: 'zsh' } })).stdout;
    expect(await completed('run', '--vu')).toBe('--vus:use --agents\n');
    expect(await completed('stat')).toContain('status:use muster ctl fleet\n');
    expect(await completed('ctl', 'lis')).toBe('list:use muster ctl agents\n');
    expect(await completed('run', '--du')).toContain('--duration\n');
    expect(await completed('run', '--du')).not.toContain('dump');
  });
});
