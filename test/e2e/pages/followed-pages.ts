import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, it } from 'vitest';
import { NOT_KEPT_UP, repeatedIfBusy } from '../../run/real-time/finished-run.ts';
import { ROOT } from '../muster.ts';
import { type Commands, type Page, readPage, type Step } from './page.ts';
import { followPage, hasOwnNetworks } from './page-shell.ts';

const NAMES = globSync(['README.md', 'docs/*.md', 'docs/{tutorials,how-to,reference,explanation}/*.md'], { cwd: ROOT });
export const PAGES = NAMES.toSorted().map((name) => readPage(ROOT, name));

/** Pages whose runs need most of a machine for themselves. */
export const LOADED: readonly string[] = ['docs/reference/web-server.md'];

/** Commands that create what pages assume, in addition to `scenarios` and `examples`. */
const PRELUDES: Readonly<Record<string, string>> = {
  'docs/explanation/hosts.md': 'muster init first.yaml',
  'docs/how-to/keep-a-fleet.md': `cp examples/staging.yaml .
    muster serve & muster fleet staging.yaml --quiet &
    until muster ctl fleet | grep -q registered; do sleep 0.5; done`,
  'docs/how-to/listening-fleet.md': 'cp scenarios/pull-fleet.yaml listen.yaml',
  'docs/how-to/record-hosts.md': `muster init first.yaml
    mkdir dumps && muster inspect first.yaml --agent 1 > dumps/web-1.checkdata.json
    muster record --import 'dumps/*.json' -o site`,
  'docs/reference/results.md':
    'muster run scenarios/quickstart.yaml --agents 20 --duration 6s --quiet || test $? -eq 111',
};

/** Checks of what must be true after a page and does not appear in its output. */
const AFTERWARDS: Readonly<Record<string, string>> = {
  'docs/tutorials/staging-fleet.md': `test "$(wc -l < hosts.csv)" -eq 61 &&
    grep -Eq 'do: disconnect.*name: cable|name: cable.*do: disconnect' fleets/staging/identities.db.events.yaml &&
    test "$(curl -sS http://127.0.0.1:8080/metrics | sed -n 's/^muster_server_registrations //p')" -le 60`,
};

// The timeout protects only against hanging. Servers share the machine with the agents, and answer late if it is busy for a moment.
const LIMITS = { timeout: 900_000, retry: 1 };

const isRun = (step: Step): step is Commands => step.kind === 'commands' && step.notRun === undefined;

/** Programs that pages use in addition to Muster and standard tools. */
const PROGRAMS = ['curl', 'jq', 'nats-server', 'openssl'];

/** Why this machine cannot follow a page; undefined if it can. */
async function obstacleTo({ steps, text }: Page): Promise<string | undefined> {
  const commands = steps.flatMap((step) => (isRun(step) ? step.commands.map((command) => command.text) : []));
  const isMissing = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0;
  const missing = PROGRAMS.find((program) => commands.some((line) => line.includes(program)) && isMissing(program));
  if (missing !== undefined) return `there is no ${missing}`;
  if (hasOwnNetworks) return undefined;
  const ports = new Set([...text.matchAll(/127\.0\.0\.1:(\d{4,5})\b/g)].map(([, port]) => Number(port)));
  for (const port of ports) if (!(await isFree(port))) return `port ${port}, which it names, is in use`;
  return undefined;
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((settle) => {
    server.once('error', () => settle(false)).listen(port, '127.0.0.1', () => server.close(() => settle(true)));
  });
}

/** Fences that pages do not run, and what could not be checked here. It is printed, because the reporter names skipped tests only if others fail. */
const leftOut: string[] = [];

function notRunOn({ name, steps }: Page): readonly string[] {
  return steps.flatMap((step) => {
    if (step.kind !== 'commands' || step.notRun === undefined) return [];
    return [`${name}:${step.line} ${step.commands[0]?.text.split('\n')[0]} (not run: ${step.notRun})`];
  });
}

/** Follows these pages, one test for each. A page whose runs were INVALID, because the machine was busy, is followed again. */
export async function followPages(pages: readonly Page[]): Promise<void> {
  leftOut.push(...pages.flatMap(notRunOn));
  afterAll(() => {
    process.stdout.write(`Not checked on pages:\n${leftOut.map((what) => `  ${what}\n`).join('')}`);
  });
  // One after another, because the look for an obstacle binds a port briefly.
  for (const page of pages.filter(({ steps }) => steps.some(isRun))) testPage(page, await obstacleTo(page));
}

function testPage(page: Page, obstacle: string | undefined): void {
  const unless = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;
  if (obstacle !== undefined) leftOut.push(`${page.name} (${obstacle})`);
  it.skipIf(obstacle !== undefined)(
    `${page.name} has commands that end as it says, with the output that it shows${unless}`,
    LIMITS,
    async ({ skip }) => {
      const follow = () => followPage(page, { before: PRELUDES[page.name], after: AFTERWARDS[page.name] });
      const unheld = await repeatedIfBusy(follow, (places) => places.length > 0);
      leftOut.push(...unheld.map((place) => `${place} (${NOT_KEPT_UP})`));
      skip(unheld.length > 0, `${NOT_KEPT_UP}: ${unheld.join(', ')}`);
    },
  );
}
