import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHealthWatch, type Notice, sendNotice, webhookBody } from '../../../src/outputs/webhook/webhook.ts';

const FAILED: Notice = {
  about: 'run',
  name: 'steady',
  isWell: false,
  title: 'steady: ✗ THRESHOLD CROSSED: checkdata p(99) < 250ms: observed 312ms',
  details: ['the server <did> & did not answer'],
  annotations: { verdict: 'threshold_crossed' },
  from: new Date('2026-11-21T10:15:30Z'),
  to: new Date('2026-11-21T10:25:30Z'),
};
const PASSED: Notice = {
  ...FAILED,
  isWell: true,
  title: 'steady: ✓ PASS',
  details: [],
  annotations: { verdict: 'pass' },
};
const NO_PROXIES = { httpProxy: '', httpsProxy: '', noProxy: '' };

describe('a message', () => {
  it('for Slack is a text in which nothing is markup', () => {
    expect(webhookBody(FAILED, 'slack')).toEqual({
      text: 'steady: ✗ THRESHOLD CROSSED: checkdata p(99) &lt; 250ms: observed 312ms\n• the server &lt;did&gt; &amp; did not answer',
    });
  });

  it('of Alertmanager has what its webhooks have, and a passed run resolves the alert of a failed one', () => {
    const bodyOf = (notice: Notice) => webhookBody(notice, 'alertmanager') as AlertmanagerBody;
    const [failed, passed] = [bodyOf(FAILED), bodyOf(PASSED)];
    // Alertmanager identifies an alert by its labels.
    const labelsIn = (body: object) => (body as { alerts: { labels: object }[] }).alerts.map(({ labels }) => labels);
    expect(labelsIn(webhookBody(PASSED, 'alertmanager'))).toEqual(labelsIn(webhookBody(FAILED, 'alertmanager')));
    expect(Object.keys(failed).toSorted()).toEqual(
      [
        ...['alerts', 'commonAnnotations', 'commonLabels', 'externalURL', 'groupKey', 'groupLabels', 'receiver'],
        ...['status', 'truncatedAlerts', 'version'],
      ].toSorted(),
    );
    expect([failed.status, failed.alerts[0]?.endsAt]).toEqual(['firing', '0001-01-01T00:00:00Z']);
    expect([passed.status, passed.alerts[0]?.endsAt]).toEqual(['resolved', '2026-11-21T10:25:30.000Z']);
    expect(failed.groupKey).toBe(passed.groupKey);
    expect(failed.groupKey).toBe('{}:{alertname="MusterRunFailed", scenario="steady"}');
  });
});

type AlertmanagerBody = {
  readonly status: string;
  readonly groupKey: string;
  readonly alerts: readonly { readonly endsAt: string }[];
};

describe('sending a message', () => {
  /** A receiver that answers with these statuses in order, the last one again and again; 0 closes the connection. */
  async function receiver(...statuses: readonly number[]) {
    const waits: number[] = [];
    const seen: { readonly request: IncomingMessage; readonly body: unknown }[] = [];
    const server = createServer(async (request, response) => {
      seen.push({ request, body: JSON.parse(await text(request)) });
      const status = statuses[seen.length - 1] ?? statuses.at(-1) ?? 200;
      if (status === 0) request.socket.destroy();
      else response.writeHead(status, { Location: '/other' }).end('secret-answer');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const order = { url: `http://user:pass@127.0.0.1:${port}/services/T0/secret?k=1`, format: 'slack' } as const;
    const send = (signal = new AbortController().signal) =>
      sendNotice(FAILED, { ...order, proxies: NO_PROXIES }, { signal, wait: async (ms) => void waits.push(ms) });
    return { send, seen, port, waits };
  }

  it('posts JSON to the path and the query of the URL, with its user', async () => {
    const { send, seen } = await receiver(200);
    expect(await send()).toBeUndefined();
    const [{ request, body } = { request: undefined, body: undefined }] = seen;
    expect([request?.method, request?.url]).toEqual(['POST', '/services/T0/secret?k=1']);
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from('user:pass').toString('base64')}`,
    });
    expect(body).toEqual(webhookBody(FAILED, 'slack'));
  });

  it.each([
    ['closed connections', [0, 0, 200]],
    ['busy receivers', [503, 429, 500, 204]],
  ])('is repeated after %s', async (_, statuses) => {
    const { send, seen } = await receiver(...statuses);
    expect(await send()).toBeUndefined();
    expect(seen).toHaveLength(statuses.length);
  });

  it.each([
    [500, 4, 'status 500'],
    [404, 1, 'status 404'],
    [302, 1, 'status 302'],
  ])('ends after %i in %i tries, with the host and nothing secret', async (status, tries, reason) => {
    const { send, seen, port, waits } = await receiver(status);
    expect(await send()).toBe(`the webhook at 127.0.0.1:${port} did not take the message: ${reason}`);
    expect(seen).toHaveLength(tries);
    expect(waits).toEqual([1000, 2000, 4000].slice(0, tries - 1));
  });

  it('ends with its signal', async () => {
    const { send, seen } = await receiver(503);
    expect(await send(AbortSignal.abort())).toContain('did not take');
    expect(seen.length).toBeLessThan(2);
  });
});

describe('the health of a fleet', () => {
  const at = (second: number) => new Date(second * 1000);
  const well = { isWell: true, sentence: 'All 5 agents report.' };
  const unwell = { isWell: false, sentence: '5 of 5 do not reach the server; check it.' };

  it('is told once it has been bad for half a minute, and once it has been good again for as long', () => {
    const watch = createHealthWatch('staging');
    expect([well, unwell, unwell].map((health, index) => watch(health, at(index * 20)))).toEqual(
      Array(3).fill(undefined),
    );
    expect(watch(unwell, at(50))).toMatchObject({
      isWell: false,
      details: [unwell.sentence],
      from: at(20),
      to: undefined,
    });
    expect([watch(unwell, at(90)), watch(well, at(100))]).toEqual([undefined, undefined]);
    expect(watch(well, at(130))).toMatchObject({ isWell: true, from: at(20), to: at(130) });
  });

  it('is not told if it was bad for a moment only, or changes back and forth', () => {
    const watch = createHealthWatch('staging');
    const told = Array.from({ length: 40 }, (_, n) => watch(n % 3 === 0 ? well : unwell, at(10 * n)));
    expect(told.filter((notice) => notice !== undefined)).toEqual([]);
  });
});
