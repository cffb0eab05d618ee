import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { sumListeners } from '../../../src/metrics/recording/listener-counts.ts';
import { makeKey } from '../../../src/wire/web-server/auto-tls/keys.ts';
import { ask, pushDocuments, refusal } from '../../run/listening/client.ts';
import { shardInPlace } from './shard-in-place.ts';

it('pushes between the opening of ports and the start take effect at the start', async () => {
  const { at, start, stop, sent } = await shardInPlace(3);
  expect((await ask(at(0), '/')).body).toBe('{}');
  const { host, port } = at(1);
  const configuration = `[default]\ninterval = 4\naddress = ${host}\nport = ${port}\n`;
  expect((await pushDocuments(at(1), [configuration, '', ''])).status).toBe(200);
  expect((await ask(at(2), '/autotls', { body: '{"signed":"a","ca":"b"}' })).status).toBe(200);
  await expect.poll(() => refusal(at(2))).toBeUndefined();

  start();
  for (const [agent, seconds] of [3, 4, 3].entries()) {
    await expect
      .poll(async () => (await ask(at(agent), '/')).body)
      .toMatch(new RegExp(`"check_interval":${seconds}[,}]`));
  }
  await stop();
  expect(sent.at(-1)).toMatchObject({ kind: 'account', account: { down: [] } });
});

it('a pending request at the end is answered and counted, and its agents count as listening', async () => {
  const { at, start, stop, sent } = await shardInPlace(2);
  start();
  const late = connect(at(0));
  late.write('POST /autotls HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n');
  await once(late, 'data');
  const end = stop();
  await expect.poll(() => refusal(at(1))).toBe('ECONNREFUSED');
  late.write('[]');
  await text(late);
  await end;
  const frames = sent.flatMap((message) => (message.kind === 'frame' ? [message.frame] : []));
  const served = frames.flatMap(({ series }) => series).filter(({ operation }) => operation === 'serve-autotls');
  expect(served).toMatchObject([{ planned: 1, started: 1, outcomes: { http_500: 1 } }]);
  expect(frames.at(-1)).toMatchObject({ listening: 2, down: 0 });
});

it('a connection that waited while the shard was blocked is late, and one that closes during its request is unanswered', async () => {
  const { at, start, stop, sent } = await shardInPlace(1);
  start();
  const waiting = connect(at(0));
  // After the call that connects, before the event loop polls for incoming connections.
  await new Promise((resolve) => process.nextTick(resolve));
  const untilMs = performance.now() + 300;
  while (performance.now() < untilMs);
  waiting.write('POST /autotls HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n');
  await once(waiting, 'data');
  waiting.resetAndDestroy();
  await stop();
  const counts = sent.flatMap((message) => (message.kind === 'frame' ? [message.frame.listeners] : []));
  expect(counts.reduce(sumListeners)).toEqual({ accepted: 1, late: 1, handshakes: 0, refused: {}, unanswered: 1 });
});

it('an agent gets the pool key of its index in the fleet, in any shard', async () => {
  const keys = await Promise.all(['a', 'b', 'c'].map(() => makeKey('ecdsa-p256')));
  const { at, start, stop, sent } = await shardInPlace(8, { shard: { index: 1, count: 2 }, keys });
  start();
  for (const agent of [0, 1, 2, 3]) expect((await ask(at(agent), '/autotls')).status).toBe(200);
  await stop();
  const writes = sent.flatMap((message) => (message.kind === 'files' ? message.writes : []));
  const given = writes.flatMap(({ agent, files }) =>
    files['agent.key'] === undefined ? [] : [[agent, keys.indexOf(files['agent.key'])]],
  );
  // Agents 1, 3, 5 and 7 of the fleet.
  expect(given).toEqual([
    [0, 1],
    [1, 0],
    [2, 2],
    [3, 1],
  ]);
});

it('the web server of an agent reports its address, settings, time of configuration and last request', async () => {
  const { at, start, stop, webServer } = await shardInPlace(2, { keys: [await makeKey('ecdsa-p256')] });
  const { host, port } = at(0);
  const fresh = { address: { host, port }, isListening: true, tls: 'none', autoTls: true, basicAuth: false };
  expect(await webServer(0)).toEqual({ ...fresh, configPush: true, configured: undefined, last: undefined });
  start();
  await expect.poll(async () => (await ask(at(0), '/')).body).toContain('check_interval');
  expect((await webServer(0))?.last).toMatchObject({ operation: 'serve-checkdata', outcome: 'ok' });

  const moved = at(1).port + 1;
  const configuration = `[default]\naddress = ${host}\nport = ${moved}\nauth = user:word\n`;
  expect((await pushDocuments(at(0), [configuration, '', ''])).status).toBe(200);
  await expect.poll(async () => (await webServer(0))?.isListening).toBe(true);
  const after = await webServer(0);
  expect(after).toMatchObject({ address: { port: moved }, basicAuth: true, last: { operation: 'serve-config' } });
  expect(after?.configured?.atMs).toBeGreaterThan(-10);

  // An invalid port ends the agent.
  await pushDocuments(at(1), [`[default]\naddress = ${host}\nport = -1\n`, '', '']);
  await expect.poll(() => refusal(at(1))).toBe('ECONNREFUSED');
  expect(await webServer(1)).toMatchObject({ isListening: false, tls: undefined });
  await stop();
});
