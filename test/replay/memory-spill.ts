import type { Spill } from '../../src/replay/arrival-rows.ts';

export function memorySpill(): Spill {
  const written: number[][] = [];
  return {
    write: (values) => void written.push([...values]),
    read: (into, offset) => {
      let before = 0;
      const part = written.find((values) => {
        const isIn = offset < before + values.length;
        if (!isIn) before += values.length;
        return isIn;
      });
      into.set((part ?? []).slice(offset - before, offset - before + into.length));
    },
  };
}
