import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { KEYWORDS_BOOST } from '../../../docs/site/keywords.ts';

const SITE = resolve(import.meta.dirname, '../../../docs/site');
const [index] = globSync('.vitepress/dist/assets/chunks/@localSearchIndexroot*.js', { cwd: SITE });

/** What a reader types, and the pages that answer it. */
const QUESTIONS: readonly (readonly [question: string, ...pages: string[]])[] = [
  ['400', 'reference/exit-codes', 'reference/wire', 'how-to/own-server'],
  ['403', 'reference/exit-codes', 'how-to/own-server'],
  ['401', 'reference/exit-codes'],
  ['api key', 'how-to/own-server', 'reference/scenario'],
  ['docker', 'how-to/install'],
  ['timeout', 'reference/exit-codes', 'reference/scenario'],
  ['too many open files', 'how-to/several-machines'],
  ['proxy', 'reference/scenario', 'developers/wire'],
  ['ramp', 'explanation/measuring'],
  ['delete agents', 'how-to/own-server', 'how-to/provision-hosts'],
  ['k6', 'how-to/coming-from'],
  ['uninstall', 'how-to/install'],
  ['ulimit', 'how-to/several-machines'],
  ['p99', 'explanation/measuring'],
  ['junit', 'tutorials/ci-gate'],
  ['github actions', 'tutorials/ci-gate'],
  ['kubernetes', 'how-to/several-machines'],
  ['tls', 'reference/scenario'],
  ['mtls', 'reference/agent-web-server'],
  ['seed', 'reference/scenario'],
  ['111', 'reference/exit-codes', 'how-to/troubleshooting'],
  ['invalid', 'how-to/troubleshooting'],
  ['histogram', 'reference/results'],
  ['prometheus', 'how-to/export-metrics', 'reference/metrics'],
  ['grafana', 'how-to/export-metrics'],
  ['rate', 'explanation/measuring'],
  ['closed load', 'explanation/measuring'],
  ['wrk', 'how-to/coming-from'],
  ['gatling', 'how-to/coming-from'],
  ['backup', 'how-to/keep-a-fleet'],
  ['upgrade', 'how-to/keep-a-fleet', 'reference/events'],
  ['csr', 'reference/agent-web-server'],
  ['cleanup', 'how-to/own-server', 'how-to/provision-hosts'],
  ['packages', 'reference/documents'],
  ['host not assigned', 'how-to/own-server', 'how-to/provision-hosts', 'reference/exit-codes', 'reference/wire'],
  ['memory', 'how-to/how-many-agents'],
  ['many agents', 'how-to/how-many-agents'],
  ['record', 'how-to/record-hosts'],
  ['soak', 'how-to/coming-from'],
  ['spike', 'how-to/coming-from'],
  ['smoke test', 'how-to/coming-from'],
  ['stress test', 'how-to/coming-from', 'how-to/find-capacity'],
  ['handleSummary', 'reference/results', 'how-to/coming-from'],
  ['template', 'reference/results'],
  ['feeder', 'how-to/coming-from'],
  ['websocket', 'how-to/coming-from'],
  ['grpc', 'how-to/coming-from'],
  ['apdex', 'how-to/coming-from'],
  ['rendezvous', 'how-to/coming-from'],
  ['air gapped', 'how-to/coming-from'],
  ['offline', 'how-to/coming-from', 'how-to/install'],
  ['cookies', 'how-to/coming-from'],
  ['headers', 'how-to/coming-from'],
  ['insecureSkipTLSVerify', 'how-to/coming-from'],
  ['tags', 'how-to/coming-from'],
  ['webhook', 'how-to/export-metrics'],
  ['slack', 'how-to/export-metrics'],
  ['vus', 'how-to/coming-from'],
  ['virtual users', 'how-to/coming-from'],
  ['think time', 'how-to/coming-from'],
  ['rampUsersPerSec', 'how-to/coming-from'],
  ['locust', 'how-to/coming-from'],
  ['jmeter', 'how-to/coming-from'],
  ['artillery', 'how-to/coming-from'],
  ['ramp up', 'explanation/measuring'],
  ['env variables', 'reference/scenario'],
  ['dark mode', 'how-to/read-a-report'],
  ['azure devops', 'tutorials/ci-gate'],
  ['gitlab', 'tutorials/ci-gate'],
  ['jenkins', 'tutorials/ci-gate'],
  ['exit code 99', 'reference/exit-codes'],
  ['thresholds', 'reference/scenario'],
  ['percentile', 'explanation/measuring'],
  ['baseline', 'how-to/compare-runs'],
  ['distributed', 'how-to/several-machines'],
  ['bitbucket', 'tutorials/ci-gate'],
  ['artifacts', 'tutorials/ci-gate'],
  ['pagerduty', 'how-to/export-metrics'],
  ['openapi', 'how-to/control-a-fleet'],
  ['windows', 'reference/platforms'],
  ['csrf', 'how-to/troubleshooting'],
  ['login page', 'how-to/troubleshooting'],
  ['dns', 'how-to/troubleshooting', 'developers/wire'],
  ['chaos', 'reference/events'],
  ['clock skew', 'reference/events'],
  ['warm up', 'reference/scenario'],
  ['setup teardown', 'how-to/coming-from'],
  ['nagios', 'how-to/coming-from'],
  ['self-signed certificate', 'reference/embedded-server', 'reference/scenario'],
];

type Found = { readonly id: string };

describe.skipIf(index === undefined)('the search of the site (left out before npm run docs:build)', () => {
  let search: (words: string) => readonly Found[];

  beforeAll(async () => {
    const module = join(SITE, 'node_modules/minisearch/dist/es/index.js');
    expect(existsSync(module)).toBe(true);
    const { default: MiniSearch } = await import(pathToFileURL(module).href);
    const { default: json } = await import(pathToFileURL(join(SITE, index ?? '')).href);
    // As the site's own search box.
    const found = MiniSearch.loadJSON(json, {
      fields: ['title', 'titles', 'text', 'keywords'],
      storeFields: ['title', 'titles'],
      searchOptions: { fuzzy: 0.2, prefix: true, boost: { keywords: KEYWORDS_BOOST, title: 4, text: 2, titles: 1 } },
    });
    search = (words) => found.search(words);
  });

  it.each(QUESTIONS)('answers "%s" with the right page first', (question, ...pages) => {
    const [first] = search(question);
    expect(pages).toContain(first?.id.replace(/^\//, '').replace(/\.html.*/, ''));
  });

  it('has the boost of the keywords in the page, too', () => {
    const [chunk = ''] = globSync('.vitepress/dist/index.html', { cwd: SITE });
    expect(readFileSync(join(SITE, chunk), 'utf8')).toContain(`keywords\\":${KEYWORDS_BOOST}`);
  });
});
