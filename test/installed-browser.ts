import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const found = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find(isExecutable);

/** Tests that need a browser are left out without one. */
export const hasBrowser = found !== undefined;

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: found ?? '', args: ['--no-sandbox', '--disable-gpu'] });
}

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

/** What axe finds in a page, with the elements that it finds it in. */
export async function objectionsTo(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate<Violation[]>('axe.run().then((result) => result.violations)');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
