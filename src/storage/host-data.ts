import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../machine/data/', import.meta.url);

let known: Readonly<Record<string, string>> | undefined;

/** The data files that simulated hosts are made from, by their paths, such as `packages/arch.tsv`; read once. */
export function readHostData(): Readonly<Record<string, string>> {
  known ??= Object.fromEntries(
    readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => path.endsWith('.tsv'))
      .sort()
      .map((path) => [path, readFileSync(new URL(path, FOLDER), 'utf8')]),
  );
  return known;
}
