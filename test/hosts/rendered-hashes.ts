import { createHash } from 'node:crypto';
import { compilePayloads, type TestFleet } from './host-data.ts';

export type RenderTask = {
  readonly fleet: TestFleet;
  readonly agents: readonly number[];
  readonly instantMs: number;
};

/** Hashes of both documents of each agent, in the given order. */
export function renderedHashes({ fleet, agents, instantMs }: RenderTask): readonly string[] {
  const writer = compilePayloads(fleet);
  return agents.map((agent) => {
    const out = Buffer.alloc(writer.checkdataRoomBytes(agent) + writer.packagesRoomBytes(agent));
    const end = writer.writePackages(out, writer.writeCheckdata(out, 0, agent, instantMs), agent, instantMs);
    return createHash('sha256').update(out.subarray(0, end)).digest('hex');
  });
}
