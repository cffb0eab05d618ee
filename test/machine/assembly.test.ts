import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { assembled } from '../../scripts/assembly.ts';

it('the renderer that runs is made of the sources in `assembly`', async () => {
  const module = new URL('../../src/machine/document/render-wasm.ts', import.meta.url);
  expect(readFileSync(module, 'utf8')).toBe(await assembled());
});
