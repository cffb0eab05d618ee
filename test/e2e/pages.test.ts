import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { ROOT } from './muster.ts';
import { type Page, readPage } from './pages/page.ts';
import { followPage, hasOwnNetworks } from './pages/page-shell.ts';

const NAMES = globSync(['README.md', 'docs/*.md', 'docs/{tutorials,how-to,reference,explanation}/*.md'], { cwd: ROOT });
const pages = NAMES.toSorted().map((name) => readPage(ROOT, name));

/** What pages take to be there, beside `scenarios` and `examples`. */
const PRELUDES: Readonly<Record<string, string>> = {};

// Where pages have no networks of their own, they take turns.
const describePages = hasOwnNetworks ? describe.concurrent : describe;

describePages('the page', () => {
  for (const page of pages.filter(({ steps }) => steps.some(({ notRun }) => notRun === undefined)))
    it(`${page.name} has commands that end as it says, and say what it shows`, async ({ skip }) => {
      const unheld = await followPage(page, PRELUDES[page.name] ?? 'true');
      skip(unheld.length > 0, `other work held the generator up at ${unheld.map(({ place }) => place).join(', ')}`);
    });
});
