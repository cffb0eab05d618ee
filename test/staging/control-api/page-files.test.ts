import { afterEach, describe, expect, it } from 'vitest';
import { closeServed, serveFleet } from './served-fleet.ts';

afterEach(closeServed);

describe('the page of the control API', () => {
  it('needs no token, and may only load and request its own resources', async () => {
    const { api } = await serveFleet();
    const page = await fetch(api.url);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy).not.toContain('unsafe');
    const loaded = [...(await page.text()).matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => `${path}`);
    expect(loaded).toHaveLength(3);
    const types = loaded.map(async (path) => (await fetch(`${api.url}${path}`)).headers.get('content-type'));
    expect(await Promise.all(types)).toEqual([
      'text/css; charset=utf-8',
      ...['text/javascript; charset=utf-8', 'text/javascript; charset=utf-8'],
    ]);
  });

  it('is read-only, and is not served to another origin', async () => {
    const { api } = await serveFleet();
    const posted = await fetch(api.url, { method: 'POST', body: 'x' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const framed = await fetch(api.url, { headers: { origin: 'http://muster.example' } });
    expect(framed.status).toBe(403);
    expect((await fetch(`${api.url}/dashboard.ts`)).status).toBe(401);
  });
});
