import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { proxyOf } from '../../../src/wire/agent/proxy.ts';
import { agents, proxyTo, TRUSTING } from './proxies.ts';
import { accept, client, closedInTheEnd, httpAnswer, probe, serve } from './wire.ts';

const CA = readFileSync(join(import.meta.dirname, 'certificates', 'authority.pem'), 'utf8');
const VERIFYING = { verify: true, ca: CA };
const ACCEPTED = { kind: 'answer', status: 200 };

describe('requests for a server without TLS', () => {
  it("go to the proxy with the absolute URL in their first line, byte for byte like the real agent's", async () => {
    const server = await serve();
    const proxy = await proxyTo(server);
    await agents(proxy, { baseUrl: 'http://Mon.example:80/pre?q=a b', apiKey: 'KEY' }).push(0, '{"checkdata":{}}');
    expect(proxy.heads).toEqual([
      [
        'POST http://Mon.example:80/pre/agentconnector/submit_checkdata.json?q=a b HTTP/1.1',
        'Host: Mon.example:80',
        'User-Agent: openITCOCKPIT Agent/3.6.1',
        'Content-Length: 16',
        'Authorization: X-OITC-API KEY',
        'Content-Type: application/json',
        'Accept-Encoding: gzip',
        '',
        '',
      ].join('\r\n'),
    ]);
  });

  it("send the proxy's user and password after all other fields", async () => {
    const server = await serve();
    const proxy = await proxyTo(server);
    await agents(proxy, { baseUrl: 'http://mon.example' }, 'http://u:p%40@127.0.0.1:PORT').push(0);
    expect(proxy.heads[0]).toMatch(/\r\nAccept-Encoding: gzip\r\nProxy-Authorization: Basic dTpwQA==\r\n\r\n$/);
  });

  it("share their agent's connection, and open another one after an answer that closes it", async () => {
    const server = await serve((socket, _request, number) => {
      if (number < 3) accept(socket, '', 0);
      else socket.end(httpAnswer(200, '{}', 'Connection: close\r\n'));
    });
    const proxy = await proxyTo(server);
    const { push } = agents(proxy, { baseUrl: 'http://mon.example' });
    for (let round = 0; round < 4; round++) expect((await push(0)).ending).toMatchObject(ACCEPTED);
    expect(proxy.sockets).toHaveLength(2);
  });

  it('are redirected over the same connection, to any port, and repeat all fields', async () => {
    const server = await serve((socket, request) => {
      if (request.includes('agentconnector'))
        socket.write(httpAnswer(302, '', 'Location: http://mon.example:81/else?x\r\n'));
      else accept(socket, request, 0);
    });
    const proxy = await proxyTo(server);
    const agent = agents(proxy, { baseUrl: 'http://mon.example', apiKey: 'KEY' }, 'http://u:p@127.0.0.1:PORT');
    expect((await agent.push(0)).ending).toMatchObject(ACCEPTED);
    expect(proxy.sockets).toHaveLength(1);
    expect(server.requests[1]).toBe(
      [
        'GET http://mon.example:81/else?x HTTP/1.1',
        'Host: mon.example:81',
        'User-Agent: openITCOCKPIT Agent/3.6.1',
        'Authorization: X-OITC-API KEY',
        'Referer: http://mon.example/agentconnector/submit_checkdata.json',
        'Accept-Encoding: gzip',
        'Proxy-Authorization: Basic dTpw',
        '',
        '',
      ].join('\r\n'),
    );
  });

  it("get the proxy's status as if it were the server's", async () => {
    const server = await serve((socket) => socket.write(httpAnswer(407, '{}', 'Proxy-Authenticate: Basic\r\n')));
    const agent = agents(server, { baseUrl: 'http://mon.example' });
    expect((await agent.push(0)).ending).toMatchObject({ kind: 'answer', status: 407 });
  });

  it('go over TLS to an https proxy, whose certificate is verified by its own name', async () => {
    const server = await serve();
    const proxy = await proxyTo(server, { tls: {} });
    const settings = { baseUrl: 'http://mon.example', tls: VERIFYING };
    expect((await agents(proxy, settings, 'https://127.0.0.1:PORT').push(0)).ending).toMatchObject(ACCEPTED);
    const { ending, seen } = await agents(proxy, settings, 'https://proxy.example:PORT').push(1);
    expect([ending, seen.reason]).toEqual([
      { kind: 'failure', failure: 'proxy_failed' },
      expect.stringMatching(/proxy\.example/),
    ]);
  });

  it('fail if an https proxy chooses HTTP/2, which verifying agents offer', async () => {
    const proxy = await proxyTo(await serve(), { tls: { ALPNProtocols: ['h2', 'http/1.1'] } });
    const settings = { baseUrl: 'http://mon.example', tls: VERIFYING };
    const { ending, seen } = await agents(proxy, settings, 'https://127.0.0.1:PORT').push(0);
    expect(ending).toEqual({ kind: 'failure', failure: 'proxy_failed' });
    expect(seen.reason).toMatch(/^the proxy chose HTTP\/2/);
    expect(proxy.heads).toEqual([]);
  });
});

describe('counts of addresses', () => {
  it('omit requests through a proxy, whose destination address is unknown', async () => {
    const server = await serve();
    const proxy = await proxyTo(server);
    const { push, transport } = agents(proxy, { baseUrl: 'http://mon.example', isOneOfSeveral: true });
    await push(0);
    expect(transport.addresses()).toEqual([]);
    transport.reconfigure(0, { apiKey: '', proxy: '' });
    expect(transport.addresses()).toEqual([]);
  });

  it('omit requests of agents with their own proxy', async () => {
    const server = await serve();
    const proxy = await proxyTo(server);
    const made = client(server, { isOneOfSeveral: true });
    await made.push(0);
    made.transport.reconfigure(0, { apiKey: '', proxy: `http://127.0.0.1:${proxy.port}` });
    for (const _ of [1, 2]) await made.push(0);
    expect(made.transport.addresses()).toMatchObject([{ address: '127.0.0.1', connections: 1, requests: 1 }]);
  });
});

describe('an individually configured agent', () => {
  it('uses its configured proxy, no proxy for an empty one, and otherwise the proxy of the environment', async () => {
    const server = await serve();
    const [own, other] = [await proxyTo(server), await proxyTo(server)];
    const defaultProxy = proxyOf(`http://127.0.0.1:${other.port}`);
    const made = probe({ tls: TRUSTING, baseUrl: `http://127.0.0.1:${server.port}`, defaultProxy });
    closedInTheEnd(made.transport);
    for (const agent of [0, 1, 2]) await made.push(agent);
    made.transport.reconfigure(0, { apiKey: 'OWN', proxy: `http://127.0.0.1:${own.port}` });
    made.transport.reconfigure(1, { apiKey: '', proxy: '' });
    made.transport.reconfigure(3, { apiKey: 'OWN', proxy: `http://127.0.0.1:${own.port}` });
    for (const agent of [0, 1, 2, 3]) expect((await made.push(agent)).ending).toMatchObject(ACCEPTED);
    expect([own.heads.length, other.heads.length]).toEqual([2, 1]);
    expect(own.heads[0]).toMatch(/^POST http:\/\/127.*X-OITC-API OWN\r\n/s);
    made.transport.reconfigure(0, { apiKey: '', proxy: undefined });
    await made.push(0);
    expect([own.heads.length, server.requests.at(-1)?.slice(0, 6)]).toEqual([2, 'POST /']);
  });
});
