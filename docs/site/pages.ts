/** Which pages the site has, in the order of its sidebar. A test holds this list against the folders of `docs`. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

type Section = {
  readonly title: string;
  /** Pages as paths below `docs`, without `.md`. */
  readonly pages: readonly string[];
};

const PAGES = resolve(import.meta.dirname, '..');

/** What users read. */
export const USER_SECTIONS: readonly Section[] = [
  {
    title: 'Tutorials',
    pages: [
      'tutorials/first-run',
      'tutorials/twenty-thousand-agents',
      'tutorials/ci-gate',
      'tutorials/staging-fleet',
      'tutorials/outage-rehearsal',
      'tutorials/replay-an-incident',
      'tutorials/released-server',
    ],
  },
  {
    title: 'How-to guides',
    pages: [
      'how-to/install',
      'how-to/own-server',
      'how-to/read-a-report',
      'how-to/how-many-agents',
      'how-to/coming-from',
      'how-to/find-capacity',
      'how-to/compressed-day',
      'how-to/keep-a-fleet',
      'how-to/control-a-fleet',
      'how-to/listening-fleet',
      'how-to/provision-hosts',
      'how-to/several-machines',
      'how-to/compare-runs',
      'how-to/record-hosts',
      'how-to/export-metrics',
      'how-to/hostile-agents',
      'how-to/troubleshooting',
    ],
  },
  {
    title: 'Reference',
    pages: [
      'reference/commands',
      'reference/exit-codes',
      'reference/scenario',
      'reference/events',
      'reference/cohorts',
      'reference/results',
      'reference/metrics',
      'reference/embedded-server',
      'reference/web-server',
      'reference/wire',
      'reference/documents',
      'reference/agent-web-server',
      'reference/conformance',
      'reference/differences',
      'reference/platforms',
      'glossary',
    ],
  },
  {
    title: 'Explanation',
    pages: ['explanation/measuring', 'explanation/hosts', 'explanation/time', 'explanation/safety'],
  },
];

/** What people read who work on Muster. */
export const DEVELOPER_SECTIONS: readonly Section[] = [
  {
    title: 'For developers',
    pages: [
      ...[
        'developers/mechanisms',
        'developers/hosts',
        'developers/inventories',
        'developers/wire',
        'developers/server',
        'developers/documents',
      ],
      ...['developers/measuring', 'developers/performance', 'developers/dependencies'],
    ],
  },
  {
    title: 'Decisions',
    pages: [
      'developers/decisions/commonjs-launcher',
      'developers/decisions/import-rules',
      'developers/decisions/late-spans',
      'developers/decisions/compared-pairs',
      'developers/decisions/lease',
      'developers/decisions/moving-agents',
      'developers/decisions/own-http-client',
      'developers/decisions/http2-client',
      'developers/decisions/undici',
      'developers/decisions/webassembly-documents',
      'developers/decisions/young-garbage',
      'developers/decisions/password-journal',
      'developers/decisions/tls-records',
      'developers/decisions/named-ports',
      'developers/decisions/hono',
      'developers/decisions/queries',
      'developers/decisions/jitter',
      'developers/decisions/own-ini-reader',
      'developers/decisions/own-reference-generator',
      'developers/decisions/dashboard-without-framework',
      'developers/decisions/painted-map',
      'developers/decisions/live-view',
      'developers/decisions/idle-agents',
      'developers/decisions/warm-up',
    ],
  },
];

/** The first heading of a page. Throws if the page is missing or begins with something else. */
export function titleOf(page: string): string {
  const title = /^# (.+)\n/.exec(readFileSync(join(PAGES, `${page}.md`), 'utf8'))?.[1];
  if (title === undefined) throw new Error(`docs/${page}.md: expected a heading "# …" in the first line.`);
  return title;
}

/** The fragment that leads to a heading, as code hosts make it, so that links hold there and on the site. */
export function fragmentOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}
