import { expect, it } from 'vitest';
import { monotonicClock } from '../../../src/kernel/clock.ts';
import { addressOfAgent } from '../../../src/scenario/listen-range.ts';
import type { Channel } from '../../../src/workers/channel.ts';
import { packFiles } from '../../../src/workers/listening/packed-files.ts';
import type { FromShard, ShardTask, ToShard } from '../../../src/workers/messages.ts';
import { runShard } from '../../../src/workers/shard-worker.ts';
import { ask, pushDocuments, refusal } from '../../run/listening/client.ts';
import { freeRange } from '../../run/listening/running-fleet.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

const TEXT = `
target: { url: "http://127.0.0.1:1" }
fleet: { agents: 3, seed: 1, payload: lean, profiles: { debian-12: 1 } }
webServer: { listen: "${freeRange()}", configPush: true, autoTls: true, interval: 3s, keys: { type: ecdsa-p256, pool: 1 } }
phases: [{ name: asked, duration: 1m }]`;

function shardTask(): ShardTask {
  const scenario = scenarioOf(TEXT);
  return {
    scenario,
    shard: { index: 0, count: 1 },
    target: { url: scenario.target.url, addresses: ['127.0.0.1'], tls: { verify: false, ca: undefined } },
    credentials: [],
    durableCredentials: false,
    listening: { files: packFiles([]), durable: false, polled: false, keys: { kind: 'pool', pems: [] } },
  };
}

it('what agents are told between the opening of their ports and the start counts from the start', async () => {
  const task = shardTask();
  const ready = Promise.withResolvers<void>();
  let tell: (message: ToShard) => void = () => {};
  const sent: FromShard[] = [];
  const channel: Channel<ToShard, FromShard> = {
    send: (message) => {
      sent.push(message);
      if (message.kind === 'ready') ready.resolve();
    },
    listen: (hear) => {
      tell = hear;
    },
    close: () => {},
    closed: Promise.resolve(),
  };
  const end = runShard(task, channel);
  await ready.promise;
  const at = (agent: number) => {
    if (task.scenario.webServer === undefined) throw new Error('nobody listens');
    return addressOfAgent(task.scenario.webServer.listen, agent);
  };
  expect((await ask(at(0), '/')).body).toBe('{}');
  const { host, port } = at(1);
  const text = `[default]\ninterval = 4\naddress = ${host}\nport = ${port}\n`;
  expect((await pushDocuments(at(1), [text, '', ''])).status).toBe(200);
  expect((await ask(at(2), '/autotls', { body: '{"signed":"a","ca":"b"}' })).status).toBe(200);
  await expect.poll(() => refusal(at(2))).toBeUndefined();

  tell({ kind: 'start', atMs: monotonicClock() + 10, epochMs: Date.now() + 10 });
  const checkIntervals = [3, 4, 3];
  for (const [agent, seconds] of checkIntervals.entries()) {
    await expect
      .poll(async () => (await ask(at(agent), '/')).body)
      .toMatch(new RegExp(`"check_interval":${seconds}[,}]`));
  }
  tell({ kind: 'stop' });
  await end;
  expect(sent.at(-1)).toMatchObject({ kind: 'account', account: { down: [] } });
});
