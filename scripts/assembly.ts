import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import asc from 'assemblyscript/asc';

const SOURCE = 'src/machine/document/assembly/render.ts';
const MODULE = 'src/machine/document/render-wasm.ts';
// Numbers that fit no integer are mistakes of the program: they trap.
const FLAGS = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--disable', 'nontrapping-f2i'];
const ROOT = resolve(import.meta.dirname, '..');

/** The module that holds the compiled renderer, as text. @throws if it does not compile. */
export async function assembled(): Promise<string> {
  let binary = new Uint8Array();
  const { error, stderr } = await asc.main([SOURCE, '--baseDir', ROOT, ...FLAGS, '--outFile', 'render.wasm'], {
    writeFile: (_, contents) => {
      binary = Buffer.from(contents);
    },
  });
  if (error) throw new Error(`the renderer does not compile: ${stderr}`, { cause: error });
  return `/** WebAssembly made of \`assembly\` with \`npm run assembly\`, in base64. */\nexport const RENDER_WASM =\n  '${Buffer.from(binary).toString('base64')}';\n`;
}

if (import.meta.main) writeFileSync(resolve(ROOT, MODULE), await assembled());
