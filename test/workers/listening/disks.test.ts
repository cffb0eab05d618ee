import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AGENT_FILES, type AgentFileTexts } from '../../../src/base/protocol/agent-files.ts';
import { createDisks, packFiles, unpackFiles } from '../../../src/workers/listening/disks.ts';
import type { ShardFiles } from '../../../src/workers/messages.ts';

function openDisks() {
  const sent: ShardFiles[] = [];
  const disks = createDisks(packFiles([[0, { 'agent.crt': 'old' }]]), (writes) => sent.push(...writes));
  return { disks, sent };
}

it("an agent's files change only once the control plane has written them to disk", async () => {
  const { disks, sent } = openDisks();
  const storing = disks.store(0, { 'agent.crt': 'new' });
  await expect.poll(() => sent.length).toBe(1);
  expect(disks.filesOf(0)).toEqual({ 'agent.crt': 'old' });
  disks.stored({ writes: sent.map(({ write }) => write), problem: undefined });
  await storing;
  expect(disks.filesOf(0)).toEqual({ 'agent.crt': 'new' });
});

it('a failed write is reported to its caller, the agent keeps its old file, and other writes continue', async () => {
  const { disks, sent } = openDisks();
  const [failing, going] = [disks.store(0, { 'agent.crt': 'new' }), disks.store(1, { 'agent.key': 'k' })];
  await expect.poll(() => sent.length).toBe(2);
  disks.stored({ writes: sent.slice(0, 1).map(({ write }) => write), problem: 'the disk is full' });
  disks.stored({ writes: sent.slice(1).map(({ write }) => write), problem: undefined });
  await expect(failing).rejects.toThrow('the disk is full');
  await going;
  expect([disks.filesOf(0), disks.filesOf(1)]).toEqual([{ 'agent.crt': 'old' }, { 'agent.key': 'k' }]);
});

it('agents store no more than the limit; a shared text counts once, and a replaced text no longer counts', async () => {
  const disks = createDisks(packFiles([]), undefined, 100);
  const push = (agent: number, text: string) => disks.store(agent, { 'config.ini': text });
  for (let agent = 0; agent < 50; agent++) await push(agent, 'x'.repeat(60));
  await expect(push(50, 'y'.repeat(60))).rejects.toThrow('no more room');
  expect(disks.filesOf(50)).toEqual({});
  await push(50, 'y'.repeat(39));
  await expect(push(51, 'zz')).rejects.toThrow('no more room');
  await push(50, 'y');
  await push(51, 'z'.repeat(39));
  expect(disks.filesOf(51)).toEqual({ 'config.ini': 'z'.repeat(39) });
});

const files: fc.Arbitrary<AgentFileTexts> = fc.dictionary(
  fc.constantFrom(...AGENT_FILES),
  fc.constantFrom('', 'a key', 'another key', 'an authority'),
  { noNullPrototype: true },
);

it('packed files are unchanged after a transfer to another thread, with each text packed once', () => {
  fc.assert(
    fc.property(fc.array(files), (disks) => {
      const packed = structuredClone(packFiles(disks.entries()));
      expect([...unpackFiles(packed)]).toEqual([...disks.entries()]);
      expect(packed.texts).toHaveLength(new Set(disks.flatMap((disk) => Object.values(disk))).size);
    }),
  );
});
