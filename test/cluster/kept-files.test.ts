import { expect, it } from 'vitest';
import { openKeptFiles } from '../../src/cluster/kept-files.ts';
import { memoryBucket } from './memory-bucket.ts';

const [HOSTS, OTHERS] = [new Set(['web-1', 'web-2']), new Set(['web-3'])];

it('files of agents are there for the next machine that has the agents; a later one replaces only the files that it names', async () => {
  const bucket = memoryBucket();
  const first = await openKeptFiles(bucket, HOSTS);
  expect(first.loadAll(HOSTS)).toEqual(new Map());
  await first.save([
    { hostName: 'web-1', files: { 'config.ini': 'interval = 30', 'agent.key': 'key' } },
    { hostName: 'web-2', files: { 'config.ini': 'interval = 60' } },
  ]);
  await first.save([{ hostName: 'web-1', files: { 'config.ini': 'interval = 5' } }]);
  const next = await openKeptFiles(bucket, HOSTS);
  expect(next.loadAll(HOSTS)).toEqual(
    new Map([
      ['web-1', { 'config.ini': 'interval = 5', 'agent.key': 'key' }],
      ['web-2', { 'config.ini': 'interval = 60' }],
    ]),
  );
  expect((await openKeptFiles(bucket, OTHERS)).loadAll(OTHERS)).toEqual(new Map());
});
