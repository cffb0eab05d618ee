import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { addressOfAgent, parseListenRange } from '../../src/scenario/listen-range.ts';
import { identityOf } from '../../src/wire/agent/identity.ts';
import { recordingServer } from '../run/listening/recording-server.ts';
import { freeRange } from '../run/listening/running-fleet.ts';
import { muster } from './muster.ts';

type Given = { readonly listen?: string; readonly stored?: Readonly<Record<string, string>> };

/** Runs three agents that push and listen, with these files in their folder next to the identity file. */
async function runWith({ listen = freeRange(), stored = {} }: Given) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-listen-'));
  const server = await recordingServer(3);
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  writeFileSync(
    join(folder, 'fleet.yaml'),
    `target: { url: "${server.url}" }
fleet: { agents: 3, seed: 1, payload: lean, profiles: { debian-12: 1 }, identities: ./ids.sqlite }
webServer: { listen: "${listen}", allowListen: [192.0.2.0/24], autoTls: true, keys: { type: ecdsa-p256, pool: 1 } }
phases: [{ name: push, duration: 1s, register: { over: 100ms } }]`,
  );
  const files = Object.entries(stored).map(([name, text]) => [join(folder, 'ids.sqlite.agents', name), text] as const);
  for (const [path, text] of files) {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
  }
  const ended = await muster(['run', 'fleet.yaml', '--workers', '1', '--quiet'], { cwd: folder });
  return {
    ...ended,
    sent: [0, 1, 2].flatMap((agent) => [...server.keysOf(agent)]),
    lost: files.filter(([path, text]) => readFileSync(path, 'utf8') !== text),
  };
}

const HOST = identityOf(1, 1).hostName;
const HALF = '-----BEGIN CERTIFICATE-----\nMIIB';

it.each<readonly [string, Given, string]>([
  [
    'an address that is not this machine’s',
    { listen: '192.0.2.0/28:3333' },
    '192.0.2.1:3333: no interface of this machine has this address',
  ],
  ['a range too small for the fleet', { listen: '127.9.9.0/31:3333' }, 'webServer.listen: expected'],
  [
    'a key pool that is garbage',
    { stored: { 'keys/ecdsa-p256-0.pem': 'garbage' } },
    'ids.sqlite.agents/keys/ecdsa-p256-0.pem of the agents',
  ],
  [
    'a half-written certificate',
    { stored: { [`${HOST}/agent.crt`]: HALF, [`${HOST}/agent.key`]: 'k', [`${HOST}/server_ca.crt`]: HALF } },
    `Agent ${HOST} cannot start with the stored file `,
  ],
])('%s ends a run before anything is sent, and no stored file is lost', async (_, given, sentence) => {
  const { code, stderr, sent, lost } = await runWith(given);
  expect(stderr).toContain(sentence);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect({ code, sent, lost }).toEqual({ code: 104, sent: [], lost: [] });
});

it('a port in use ends a run before anything is sent, and names the agent', async () => {
  const listen = freeRange();
  const range = parseListenRange(listen);
  if (range === undefined) throw new Error(listen);
  const holder = createServer().listen(addressOfAgent(range, 1));
  onTestFinished(() => void holder.close());
  await once(holder, 'listening');
  const { code, stderr, sent } = await runWith({ listen });
  expect(stderr).toContain(`The web server of agent 1 (${HOST}) cannot be opened: Muster cannot listen on `);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect({ code, sent }).toEqual({ code: 104, sent: [] });
});
