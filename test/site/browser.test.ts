import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEVELOPER_SECTIONS, titleOf, USER_SECTIONS } from '../../docs/site/pages.ts';
import { hasBrowser, launchBrowser, objectionsTo } from '../installed-browser.ts';

const SITE = resolve(import.meta.dirname, '../../docs/site/.vitepress/dist');
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
const PAGES = ['index', ...[...USER_SECTIONS, ...DEVELOPER_SECTIONS].flatMap(({ pages }) => pages)];
const isBuilt = existsSync(join(SITE, 'index.html'));

describe.skipIf(!hasBrowser || !isBuilt)('the site (left out without Chromium or before npm run docs:build)', () => {
  let browser: Browser;
  let page: Page;
  const elsewhere: string[] = [];
  const missing: string[] = [];
  const complaints: string[] = [];
  let origin = '';
  // Pages share most of their files, which the browser keeps.
  const server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, origin);
    const file = join(SITE, decodeURIComponent(pathname));
    if (!existsSync(file)) {
      missing.push(pathname);
      response.writeHead(404).end();
      return;
    }
    const type = TYPES[extname(file)] ?? 'application/octet-stream';
    response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'max-age=3600' }).end(readFileSync(file));
  });

  beforeAll(async () => {
    browser = await launchBrowser();
    page = await browser.newPage();
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== origin) elsewhere.push(request.url());
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    await browser.close();
    server.close();
  });

  async function opened(name: string): Promise<void> {
    await page.goto(`${origin}/${name}.html`);
    await page.locator('.VPDoc h1').waitFor();
  }

  it('shows every page in the width of a phone, without a request to another host, a missing file or an error', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    const widths: Record<string, number> = {};
    for (const name of PAGES) {
      await opened(name);
      expect(await page.locator('h1').innerText()).toContain(titleOf(name));
      widths[name] = await page.evaluate<number>('document.documentElement.scrollWidth');
    }
    expect(Object.entries(widths).filter(([, width]) => width > 360)).toEqual([]);
    expect({ elsewhere, missing, complaints }).toEqual({ elsewhere: [], missing: [], complaints: [] });
  });

  it.each(['light', 'dark'] as const)('has nothing that axe objects to, in %s', async (colorScheme) => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme });
    for (const name of ['index', 'reference/commands', 'explanation/measuring']) {
      await opened(name);
      // The button of the search has its key beside its word, which is the theme's.
      const objections = (await objectionsTo(page)).filter((text) => !text.startsWith('label-content-name-mismatch'));
      expect(objections).toEqual([]);
    }
  });

  it('finds a section by its words, offline', async () => {
    await opened('index');
    await page.keyboard.press('Control+k');
    await page.locator('#localsearch-input').fill('coordinated omission');
    await expect.poll(() => page.locator('#localsearch-list').innerText()).toMatch(/coordinated omission/i);
    expect(elsewhere).toEqual([]);
  });
});
