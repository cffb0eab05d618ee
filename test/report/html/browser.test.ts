import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAssets } from '../../../src/report/html/assets.ts';
import { capacityPage } from '../../../src/report/html/capacity-page.ts';
import { comparisonPage } from '../../../src/report/html/comparison-page.ts';
import { reportPage } from '../../../src/report/html/page.ts';
import { hasBrowser, launchBrowser, objectionsTo } from '../../installed-browser.ts';
import { SHARP } from '../capacities.ts';
import { BAD, BAD_FACTS } from '../comparisons.ts';
import { cohortReport, emptyReport, longReport, manyPhases, shortReport } from './reports.ts';

const FAILURE = {
  operation: 'checkdata',
  outcome: 'http_503',
  phase: 'steady',
  agent: 7,
  atMs: 4000,
  head: 'HTTP/1.1 503 Service Unavailable',
  body: '{"error":"overloaded"}',
} as const;

type Look = {
  readonly colorScheme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
};

describe.skipIf(!hasBrowser)('a report in Chromium (skipped if Chromium is not installed)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-report-'));
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await launchBrowser();
    page = await browser.newPage();
    writeFileSync(join(folder, 'short.html'), reportPage(shortReport(), readAssets()));
    writeFileSync(join(folder, 'comparison.html'), comparisonPage(BAD, BAD_FACTS));
    writeFileSync(join(folder, 'capacity.html'), capacityPage(SHARP));
    writeFileSync(join(folder, 'empty.html'), reportPage(emptyReport(), readAssets()));
    const crossed = { kind: 'delivery', figure: 'lost', text: 'lost == 0', observed: 3, unit: 'operations' } as const;
    const { summary, ...rest } = shortReport();
    const judged = { kind: 'operation', operation: 'register', phase: 'enroll', unit: 'milliseconds' } as const;
    const why = `late for 22.2 s (92.8%) of enroll: worker 0 was late by 10224 ms at 15.8 s`;
    const thresholds = [
      { ...crossed, passed: false },
      { ...judged, text: 'p(95) < 500ms', observed: 740, passed: true, leftOut: { share: 0.9, ms: 22_200, text: why } },
    ];
    writeFileSync(
      join(folder, 'crossed.html'),
      reportPage({ ...rest, summary: { ...summary, thresholds, evidence: [FAILURE] } }, readAssets()),
    );
    writeFileSync(join(folder, 'cohorts.html'), reportPage(cohortReport(20), readAssets()));
    writeFileSync(join(folder, 'phases.html'), reportPage(manyPhases(), readAssets()));
    writeFileSync(join(folder, 'thousand.html'), reportPage(manyPhases(1000), readAssets()));
    writeFileSync(join(folder, 'long.html'), reportPage(longReport(), readAssets()));
  });

  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Opens a report from disk; returns its console messages and requests. All tests share one page, because a new one costs a process. */
  async function opened(name: string, { colorScheme = 'light', viewport = { width: 1280, height: 900 } }: Look = {}) {
    page.removeAllListeners();
    await page.setViewportSize(viewport);
    await page.emulateMedia({ media: 'screen', colorScheme });
    const [complaints, requests]: [string[], string[]] = [[], []];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(join(folder, `${name}.html`)).href);
    return { complaints, requests };
  }

  const drawnColors = () =>
    page.evaluate<number[]>(`[...document.querySelectorAll('.plot canvas')].map((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    })`);

  /** The number of pixels in each heat map with the darkest shade. */
  const darkestPixels = () =>
    page.evaluate<number[]>(`[...document.querySelectorAll('.heat canvas')].map((canvas) => {
      const hex = getComputedStyle(document.documentElement).getPropertyValue('--heat-6').trim().slice(1);
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const shade = Number.parseInt('ff' + hex.slice(4, 6) + hex.slice(2, 4) + hex.slice(0, 2), 16);
      return new Uint32Array(data.buffer).filter((pixel) => pixel === shade).length;
    })`);

  /** The displayed time range of each chart over time, as the chart itself reports it. */
  const timesShown = () =>
    page.evaluate<string[]>(`[...document.querySelectorAll('.uplot[data-shown]')].map((plot) => plot.dataset.shown)`);

  it.each(['short', 'long'])('draws every chart of the %s run, without an error or a request', async (name) => {
    const { complaints, requests } = await opened(name);
    // Checked first, because Chromium warns about repeated reads of pixels.
    expect(complaints).toEqual([]);
    expect(requests).toEqual([pathToFileURL(join(folder, `${name}.html`)).href]);
    const colors = await drawnColors();
    expect(colors).toHaveLength(await page.locator('figure.chart').count());
    // Text and grid of an empty chart have few colors; lines and bands add theirs.
    expect(colors.filter((count) => count < 20)).toEqual([]);
    const darkest = await darkestPixels();
    expect(darkest.length).toBeGreaterThan(1);
    expect(darkest.filter((count) => count === 0)).toEqual([]);
  });

  it('has empty charts and no errors for a run that was stopped before anything happened', async () => {
    const { complaints } = await opened('empty');
    expect(await page.locator('.plot canvas').count()).toBe(4);
    expect(complaints).toEqual([]);
  });

  it('zooms all charts over time together, by mouse and by keyboard', async () => {
    await opened('short');
    const whole = await timesShown();
    expect(new Set(whole)).toEqual(new Set(['0 7']));
    expect(whole.length).toBeGreaterThan(8);

    await page.locator('.u-over').first().scrollIntoViewIfNeeded();
    const box = await page.locator('.u-over').first().boundingBox();
    if (box === null) throw new Error('the first chart is not to be seen');
    const [middle, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(middle, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width, y, { steps: 3 });
    await page.mouse.up();
    const dragged = await timesShown();
    expect(new Set(dragged).size).toBe(1);
    expect(Number.parseFloat(dragged[0] ?? '')).toBeCloseTo(3.5, 0);
    expect(dragged).toHaveLength(whole.length);

    await page.getByRole('button', { name: 'Everything' }).press('Enter');
    expect(await timesShown()).toEqual(whole);
    await page.getByRole('combobox').selectOption({ label: 'fault outage, 4s' });
    expect(new Set(await timesShown())).toEqual(new Set(['3 6.5']));
    expect(await page.locator('.zoom output').textContent()).toBe('3s – 6.5s · 10:15:33 – 10:15:36 UTC');
  });

  it.each(['light', 'dark'] as const)(
    'has no axe violations in %s with everything expanded, and neither have cohorts, a comparison and a capacity search',
    async (colorScheme) => {
      await opened('short', { colorScheme });
      await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`);
      await expect
        .poll(() => page.locator('details.behind table').count())
        .toBe(await page.locator('figure.chart').count());
      expect(await objectionsTo(page)).toEqual([]);
      for (const name of ['comparison', 'capacity', 'cohorts']) {
        const { complaints } = await opened(name, { colorScheme });
        expect([await objectionsTo(page), complaints]).toEqual([[], []]);
      }
    },
  );

  it('shows every row of the steps of a capacity search without scrolling in the table', async () => {
    await opened('capacity');
    const [height, shown] = await page.evaluate<number[]>(`(() => {
      const { scrollHeight, clientHeight } = document.querySelector('#steps ~ .scroll');
      return [scrollHeight, clientHeight];
    })()`);
    expect(shown).toBe(height);
    expect(await page.locator('#steps ~ .scroll tbody tr').count()).toBe(SHARP.steps.length);
  });

  it('shows the phase and the wall-clock time at the cursor, even if forty phases leave no room for names', async () => {
    const { complaints } = await opened('phases');
    await page.locator('.u-over').first().hover();
    const legend = await page.locator('.u-legend .u-value').first().textContent();
    expect(legend).toMatch(/^\ds · 10:15:3\d UTC · step-\d+-of-the-ramp-in-the-north-and-the-south$/);
    expect(complaints).toEqual([]);
  });

  it('has a point for each second with responses, from the lowest rate to the highest', async () => {
    await opened('short');
    const figures = page.locator('#chart-register-rate details');
    await figures.locator('summary').press('Enter');
    await expect.poll(() => figures.locator('tbody tr').allTextContents()).toHaveLength(2);
    expect(await figures.locator('tbody tr').first().allTextContents()).toEqual([
      expect.stringMatching(/^41.0\/s[\d.]+ ms[\d.]+ ms0s/),
    ]);
  });

  it('explains a term on hover, on focus and in the legends of charts', async () => {
    const { complaints } = await opened('short');
    const tip = page.locator('.tip');
    await page.locator('#figures ~ .scroll .term', { hasText: 'planned' }).first().hover();
    expect(await tip.textContent()).toMatch(/^arrivals that were picked up/);
    await page.keyboard.press('Escape');
    expect(await tip.isVisible()).toBe(false);
    await page.locator('#figures ~ .scroll .term', { hasText: 'dropped' }).first().focus();
    expect(await tip.textContent()).toMatch(/^arrivals that never started/);
    await page.locator('#chart-checkdata-latency .u-label', { hasText: /^max$/ }).hover();
    expect(await tip.textContent()).toMatch(/^the highest/);
    expect(complaints).toEqual([]);
  });

  it('shows verdict, key figures and the first failure on the first screen of a phone', async () => {
    await opened('crossed', { viewport: { width: 390, height: 740 } });
    for (const part of ['.verdict h2', '.verdict .facts', '.verdict a[href="#evidence"]']) {
      const box = await page.locator(part).boundingBox();
      expect((box?.y ?? 1000) + (box?.height ?? 0)).toBeLessThan(740);
    }
  });

  it('shows the result of a threshold on a phone without scrolling', async () => {
    await opened('crossed', { viewport: { width: 390, height: 740 } });
    const box = await page.locator('#thresholds ~ .scroll tbody .bad').first().boundingBox();
    expect(box?.x).toBeLessThan(100);
    for (const cell of await page.locator('#thresholds ~ .scroll td:last-child').all()) {
      const { x = 0, width = 0 } = (await cell.boundingBox()) ?? {};
      expect(width).toBeGreaterThan(80);
      expect(x + width).toBeLessThan(390);
    }
  });

  it('shows long thresholds and the times of phases with long names on a phone', async () => {
    await opened('phases', { viewport: { width: 390, height: 740 } });
    const { x = 390, width = 0 } = (await page.locator('#phases ~ .scroll tbody td').first().boundingBox()) ?? {};
    expect(x + width).toBeLessThan(390);
    await opened('crossed', { viewport: { width: 390, height: 740 } });
    expect(await page.evaluate(`getComputedStyle(document.querySelector('#thresholds ~ .scroll')).maxHeight`)).toBe(
      'none',
    );
  });

  it('measures few texts for the names of a thousand phases', async () => {
    await page.addInitScript(`window.measured = 0;
      const { measureText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.measureText = function (text) {
        window.measured += 1;
        return measureText.call(this, text);
      };`);
    await opened('thousand');
    const charts = await page.locator('.plot canvas').count();
    expect(await page.evaluate<number>('measured')).toBeGreaterThan(0);
    expect(await page.evaluate<number>('measured')).toBeLessThan(charts * 2500);
    expect(await page.locator('#figures ~ details table').count()).toBeLessThan(110);
  });

  it('has the figures of a chart in the table below it', async () => {
    await opened('short');
    const figures = page.locator('#chart-checkdata-latency details');
    await figures.locator('summary').press('Enter');
    await expect.poll(() => figures.locator('tbody tr').count()).toBe(7);
    const worst = shortReport().history.intervals[4]?.activity.get('checkdata')?.maxMs ?? 0;
    expect(await figures.locator('tbody tr').nth(4).locator('td').nth(4).textContent()).toBe(`${Math.round(worst)} ms`);
  });

  it.each(['short', 'cohorts'])('fits a phone without horizontal scrolling, with its tables: %s', async (name) => {
    await opened(name, { viewport: { width: 360, height: 740 } });
    await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360);
  });

  it('is printed in light colors with every chart', async () => {
    const { complaints } = await opened('short', { colorScheme: 'dark' });
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const background = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    expect(background).toBe('rgb(255, 255, 255)');
    expect((await drawnColors()).filter((count) => count < 20)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('is printed with phases, clocks and evidence open, and shut again afterwards', async () => {
    await opened('crossed');
    const shut = () =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll('details:not([open]) > summary')].map((one) => one.textContent)`,
      );
    const before = await shut();
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    const printed = before.filter((text) => /^(Phase by phase|All clocks|checkdata http_503)/.test(text));
    expect(printed).toHaveLength(3);
    expect(await shut()).toEqual(before.filter((text) => !printed.includes(text)));
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
    expect(await shut()).toEqual(before);
  });
});
