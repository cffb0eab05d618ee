import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const found = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find(isExecutable);

/** Tests that need a browser are skipped if this is false. */
export const hasBrowser = found !== undefined;

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: found ?? '', args: ['--no-sandbox', '--disable-gpu'] });
}

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

/** Returns the accessibility violations that axe finds in a page, with their elements. */
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
