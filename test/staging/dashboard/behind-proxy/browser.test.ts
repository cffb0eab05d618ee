import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasBrowser, launchBrowser } from '../../../installed-browser.ts';
import { closeStaged, stageFleet, TOKEN } from '../staged-fleet.ts';

const hasNginx = spawnSync('nginx', ['-v']).error === undefined;
const certificates = join(import.meta.dirname, '../../../wire/transport/certificates');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((next) => server.once('listening', next));
  const { port } = server.address() as AddressInfo;
  await new Promise((next) => server.close(next));
  return port;
}

/** Starts nginx with the site of examples/proxy, on these ports and with a certificate of the tests. */
async function startNginx(listenPort: number, apiPort: number, more: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-nginx-'));
  const example = readFileSync(join(import.meta.dirname, '../../../../examples/proxy/nginx.conf'), 'utf8');
  const site = example
    .replace('listen 443', `listen 127.0.0.1:${listenPort}`)
    .replace('127.0.0.1:9500;', `127.0.0.1:${apiPort};\n    ${more}`)
    .replace('/etc/ssl/muster.pem', join(certificates, 'server.pem'))
    .replace('/etc/ssl/muster-key.pem', join(certificates, 'server.key'));
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${folder}/${of};`);
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}\nhttp { access_log off; ${paths.join(' ')}\n${site}}\n`,
  );
  const nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = new Promise((next) => nginx.once('exit', next));
    nginx.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true });
  });
}

describe.skipIf(!hasBrowser || !hasNginx)('the dashboard (skipped without Chromium and nginx)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it.each([
    ['the Host of the request', 'proxy_set_header Host $http_host;'],
    ['a Host of its own', ''],
  ])('behind nginx with TLS and %s shows the fleet, and adds and ends events', async (_, more) => {
    const listenPort = await freePort();
    const url = `https://localhost:${listenPort}`;
    const fleet = await stageFleet(50, { publicUrls: [new URL(url)] });
    onTestFinished(closeStaged);
    await startNginx(listenPort, Number(new URL(fleet.url).port), more);
    const page = await browser.newPage({ ignoreHTTPSErrors: true });
    onTestFinished(() => page.close());
    await expect
      .poll(() => page.goto(`${url}/#token=${encodeURIComponent(TOKEN)}`).then((answer) => answer?.status(), String), {
        timeout: 20_000,
      })
      .toBe(200);
    await expect.poll(() => page.locator('#connection-state').textContent()).toBe('Live');
    const answers = await page.evaluate(`(async () => {
      const ask = async (path, init) => (await fetch(path, { ...init, headers: {
        authorization: ${JSON.stringify(`Bearer ${TOKEN}`)}, 'content-type': 'application/json' } })).status;
      return [
        await ask('/api/v1/events', { method: 'POST', body: JSON.stringify({ do: 'restart', cohort: '0..2' }) }),
        await ask('/api/v1/events/cable', { method: 'DELETE' }),
      ];
    })()`);
    expect(answers).toEqual([201, 200]);
    expect([fleet.added.map(({ action }) => action.kind), fleet.ended]).toEqual([['restart'], ['cable']]);
  });
});
