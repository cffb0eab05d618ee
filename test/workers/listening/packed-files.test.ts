import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AGENT_FILES, type AgentFileTexts } from '../../../src/protocol/agent-files.ts';
import { packFiles, unpackFiles } from '../../../src/workers/listening/packed-files.ts';

const files: fc.Arbitrary<AgentFileTexts> = fc.dictionary(
  fc.constantFrom(...AGENT_FILES),
  fc.constantFrom('', 'a key', 'another key', 'an authority'),
  { noNullPrototype: true },
);

it('packed files cross to another thread and come out as they were, each text once', () => {
  fc.assert(
    fc.property(fc.array(files), (disks) => {
      const packed = structuredClone(packFiles(disks.entries()));
      expect([...unpackFiles(packed)]).toEqual([...disks.entries()]);
      expect(packed.texts).toHaveLength(new Set(disks.flatMap((disk) => Object.values(disk))).size);
    }),
  );
});
