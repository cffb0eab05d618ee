/**
 * Takes the pictures of the pages: the live view and the report of the quick start, the dashboard, and reports of servers that queue,
 * stall and refuse. Needs Linux (`script` of util-linux) and Chromium. Run by hand after a change to one of them:
 *
 *     node scripts/pictures.ts [quickstart] [dashboard] [servers]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import xterm, { type IBufferCell } from '@xterm/headless';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../test/installed-browser.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PICTURES = join(ROOT, 'docs/pictures');
const COLUMNS = 92;
const ROWS = 34;
/** During the phase of steady load. */
const SHOWN_AFTER_MS = 20_000;
const PALETTE = ['#444', '#ff7a6b', '#63d3a2', '#f0bf5a', '#74b8f5', '#cf9be6', '#5fd0d8', '#e7ebf0', '#98a3b0'];

const EVERY_MS = 10_000;

/** What a server does to the same load, by the name of its picture. */
const SERVERS = {
  queues: 'url: URL',
  stalls: 'url: embedded, faults: [{ do: freeze, at: steady+8s, for: 3s }]',
  refuses: 'url: embedded, faults: [{ do: status, status: 503, share: 60%, at: steady+8s, operations: [checkdata] }]',
};

/** More than a server of `WORK_MS` per request can do. */
const LOADED = `
fleet: { agents: 400, payload: lean }
phases:
  - { name: enroll, exclude: true, register: { over: 10s } }
  - { name: pause, exclude: true, duration: 3s }
  - { name: steady, duration: 20s, checkdata: { rate: 130/s } }
thresholds: { checkdata: ["p(99) < 250ms", "error_rate < 1%"] }
`;

const WORK_MS = 10;

/** Agents in each state that the legend of the dashboard knows. */
const EVENTFUL = `
target: { url: embedded }
fleet: { agents: 2000, payload: lean, profiles: { debian-12: 3, windows-server-2022: 1 } }
phases:
  - { name: enroll, register: { over: 5s } }
  - { name: day, duration: 5m, checkdata: { every: ${EVERY_MS}ms } }
events:
  - { do: disconnect, name: cable, at: day, cohort: 22% }
  - { do: stop, name: maintenance, at: day, cohort: 4% }
  - { do: lose-password, name: reinstalled, at: day, cohort: 3% }
  - { do: misbehave, name: broken, how: broken-json, at: day, cohort: 1% }
`;

const folder = mkdtempSync(join(tmpdir(), 'muster-pictures-'));
const browser = await launchBrowser();
try {
  const named = process.argv.slice(2);
  const all = { quickstart: takeQuickStart, dashboard: takeDashboard, servers: takeServers };
  for (const [name, take] of Object.entries(all)) if (named.length === 0 || named.includes(name)) await take(browser);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}

async function takeQuickStart(browser: Browser): Promise<void> {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const command = `stty cols ${COLUMNS} rows ${ROWS}; ${process.execPath} src/main.ts run scenarios/quickstart.yaml --out ${folder}`;
  const run = spawn('script', ['-qec', command, '/dev/null'], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  run.stdout.on('data', (bytes: Uint8Array) => terminal.write(bytes));
  const ended = once(run, 'exit');
  await setTimeout(SHOWN_AFTER_MS);
  const view = await shownBy(terminal);
  const [code] = await ended;
  if (code !== 0) throw new Error(`The quick start ended with ${code}.`);

  const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  await page.setContent(view);
  await keep('live-view', await page.locator('pre').screenshot(), page);
  await page.goto(pathToFileURL(join(folder, 'quickstart/latest/report.html')).href);
  await keep('report', await page.screenshot(), page);
}

async function takeDashboard(browser: Browser): Promise<void> {
  const scenario = join(folder, 'staging-fleet.yaml');
  writeFileSync(scenario, EVENTFUL);
  const args = ['src/main.ts', 'run', scenario, '--control', '--quiet', '--seed', '5', '--out', folder];
  const env = { ...process.env, MUSTER_CONTROL_TOKEN: 'token-of-the-picture' };
  const run = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(run, 'exit');
  for await (const line of createInterface(run.stderr)) {
    const [, url] = /^Control: (.*)$/.exec(line) ?? [];
    if (url === undefined) continue;
    const page = await browser.newPage({ viewport: { width: 1280, height: 690 } });
    await page.goto(`${url}/#token=${env.MUSTER_CONTROL_TOKEN}`);
    await page.locator('#facts', { hasText: 'day' }).waitFor({ timeout: 60_000 });
    // By then, each agent has pushed once since the events.
    await setTimeout(EVERY_MS);
    await page.getByLabel('Event', { exact: true }).selectOption('restart');
    await page.getByLabel('Agents *').fill('state=refused');
    await page.locator('#action-preview', { hasText: 'It hits' }).waitFor();
    await keep('dashboard', await page.screenshot(), page);
    break;
  }
  run.kill('SIGINT');
  await ended;
}

async function takeServers(browser: Browser): Promise<void> {
  const server = queueingServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  for (const [name, target] of Object.entries(SERVERS)) {
    const scenario = join(folder, `${name}.yaml`);
    writeFileSync(scenario, `target: { ${target.replace('URL', `"http://127.0.0.1:${port}"`)} }${LOADED}`);
    const args = ['src/main.ts', 'run', scenario, '--quiet', '--out', folder];
    await once(spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }), 'exit');
    const page = await browser.newPage({ viewport: { width: 1200, height: 6000 } });
    await page.goto(pathToFileURL(join(folder, name, 'latest/report.html')).href);
    await page.locator('.charts canvas').first().waitFor();
    const charts = page.locator('#time-checkdata + .charts');
    const shown = charts.locator('figure').nth(3);
    const [whole, last] = [await charts.boundingBox(), await shown.boundingBox()];
    if (whole === null || last === null) throw new Error(`The report of ${name} has no charts of checkdata.`);
    const clip = { ...whole, height: last.y + last.height - whole.y };
    await keep(name, await page.screenshot({ clip }), page);
  }
  server.close().closeAllConnections();
}

/** Answers one request after another, like a server with one process. */
function queueingServer() {
  let freeAtMs = 0;
  const answer = (response: ServerResponse, status: number, body: unknown) => {
    const nowMs = performance.now();
    freeAtMs = Math.max(nowMs, freeAtMs) + WORK_MS;
    globalThis.setTimeout(() => response.writeHead(status).end(JSON.stringify(body)), freeAtMs - nowMs);
  };
  return createServer(async (request, response) => {
    const { agentuuid } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    if (request.url?.includes('register')) answer(response, 201, { agentuuid, password: 'drawn' });
    else answer(response, 200, { success: true, received_checks: 1 });
  });
}

/** Writes a screenshot as WebP, which takes a third of the bytes. The package contains it, too. */
async function keep(name: string, screenshot: Uint8Array, page: Page): Promise<void> {
  const source = `data:image/png;base64,${Buffer.from(screenshot).toString('base64')}`;
  const converted = await page.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = '${source}';
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext('2d').drawImage(image, 0, 0);
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 });
    return btoa(Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(''));
  })()`);
  writeFileSync(join(PICTURES, `${name}.webp`), Buffer.from(converted, 'base64'));
}

/** The contents of a terminal as a page. */
async function shownBy(terminal: xterm.Terminal): Promise<string> {
  await new Promise<void>((done) => terminal.write('', done));
  const buffer = terminal.buffer.active;
  const lines = Array.from({ length: ROWS }, (_, row) => {
    const line = buffer.getLine(buffer.baseY + row);
    const cells = Array.from({ length: COLUMNS }, (_, column) => line?.getCell(column));
    return cells.map((cell) => (cell === undefined ? '' : cellOf(cell))).join('');
  });
  const text = lines.join('\n').replace(/\s+$/, '');
  return `<style>pre{display:inline-block;margin:0;padding:20px 24px;background:#11161d;color:#e7ebf0;font:15px/1.4 monospace}</style><pre>${text}</pre>`;
}

function cellOf(cell: IBufferCell): string {
  const text = (cell.getChars() || ' ').replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const styles = [
    cell.isFgDefault() ? '' : `color:${PALETTE[Math.min(cell.getFgColor(), 8)]}`,
    cell.isBold() ? 'font-weight:bold' : '',
    cell.isDim() ? 'opacity:.65' : '',
  ].filter((style) => style !== '');
  return styles.length === 0 ? text : `<span style="${styles.join(';')}">${text}</span>`;
}
