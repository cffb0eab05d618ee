import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { PROFILE_NAMES } from '../../src/hosts/profiles.ts';
import { type Case, checkdataText, type Parsed, packagesText } from './any-machine.ts';
import { type RenderTask, renderedHashes } from './rendered-hashes.ts';

const AGENTS = [0, 7, 12_345];
const INSTANTS = [Date.UTC(2026, 0, 31, 15, 4, 5, 678), Date.UTC(2027, 6, 1, 3, 0, 9, 1)];

function cases(profile: string, payload: 'full' | 'typical' | 'lean'): readonly Case[] {
  const fleet = { seed: 1, profiles: { [profile]: 1 }, payload, checkIntervalSeconds: 30 };
  return AGENTS.flatMap((agent) => INSTANTS.map((instantMs) => ({ fleet, agent, instantMs })));
}

function hash(texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 16);
}

/** One hash per check over all cases, so that a difference shows the check that caused it. */
function fingerprints(profile: string) {
  return Object.fromEntries(
    (['full', 'typical', 'lean'] as const).map((payload) => {
      const some = cases(profile, payload);
      const texts = some.map(checkdataText);
      const documents: readonly Parsed[] = texts.map((text) => JSON.parse(text));
      const checks = Object.keys(documents[0]).map((key) => {
        return [key, hash(documents.map((document) => JSON.stringify(document[key])))] as const;
      });
      return [payload, { bytes: hash(texts), packages: hash(some.map(packagesText)), ...Object.fromEntries(checks) }];
    }),
  );
}

describe('the hosts of a profile', () => {
  // If this fails although no host should change, state leaks from one host, check or profile into another.
  // If hosts should change: npx vitest run test/hosts/fingerprints.test.ts -u
  it.each(PROFILE_NAMES)('%s are the same as in earlier versions, byte for byte', async (profile) => {
    const text = `${JSON.stringify(fingerprints(profile), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(`golden/${profile}.json`);
  });

  it('are the same on another thread', async () => {
    const task: RenderTask = {
      fleet: {
        seed: 4,
        profiles: Object.fromEntries(PROFILE_NAMES.map((name, index) => [name, 1 + index])),
        payload: 'typical',
        checkIntervalSeconds: 30,
      },
      agents: Array.from({ length: 15 }, (_, index) => index * 251),
      instantMs: INSTANTS[0] ?? 0,
    };
    const worker = new Worker(new URL('./render-worker.ts', import.meta.url), { workerData: task });
    const [there] = await once(worker, 'message');
    expect(there).toEqual(renderedHashes(task));
  });
});
