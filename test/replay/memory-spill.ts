import type { Spill } from '../../src/replay/arrival-rows.ts';

export function memorySpill(): Spill {
  const written: number[][] = [];
  return {
    write: (values) => void written.push([...values]),
    read: (into, place) => {
      let before = 0;
      const part = written.find((values) => {
        const isIn = place < before + values.length;
        if (!isIn) before += values.length;
        return isIn;
      });
      into.set((part ?? []).slice(place - before, place - before + into.length));
    },
  };
}
