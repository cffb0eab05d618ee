// Writes dist/NOTICES.txt: the licenses of Muster, of the packages that it installs, and of Node, which the executable and the image contain.
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import lock from '../package-lock.json' with { type: 'json' };

const ROOT = resolve(import.meta.dirname, '..');
const LICENSE_FILE = /^(licen[sc]e|copying|notice)/i;
const RULE = `\n${'-'.repeat(80)}\n`;

type Package = { readonly name: string; readonly version: string; readonly license: string; readonly texts: string };

/** The packages that an installation has, and development does not need alone. */
function installedPackages(): readonly Package[] {
  const entries = Object.entries(lock.packages as Readonly<Record<string, { readonly dev?: boolean }>>);
  return entries.flatMap(([path, { dev = false }]) => {
    const folder = join(ROOT, path);
    if (path === '' || dev || !existsSync(folder)) return [];
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Package;
    return [{ name, version, license, texts: licenseTexts(folder) }];
  });
}

function licenseTexts(folder: string): string {
  const files = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && LICENSE_FILE.test(entry.name),
  );
  return files.map(({ name }) => readFileSync(join(folder, name), 'utf8').trim()).join('\n\n');
}

/** The license of the Node that runs this script, beside its program or in the package that brought it. */
function nodeLicense(): string {
  const packaged = globSync('node_modules/node/node_modules/node-*/LICENSE', { cwd: ROOT }).map((file) =>
    join(ROOT, file),
  );
  const file = [...packaged, join(dirname(process.execPath), '../LICENSE')].find((one) => existsSync(one));
  if (file === undefined) throw new Error(`expected the LICENSE of Node beside ${process.execPath}, found none`);
  return readFileSync(file, 'utf8').trim();
}

/** A package without a text of its own has the text of another package with its license, with only the name of the license above it. */
function textOf({ license, texts }: Package, all: readonly Package[]): string {
  if (texts !== '') return texts;
  const other = all.find((one) => one.license === license && one.texts !== '');
  if (other === undefined) throw new Error(`expected a text of the license ${license}, found none in node_modules`);
  return `${license}. The package contains no text; this is the license as ${other.name} gives it:\n\n${other.texts}`;
}

const packages = installedPackages();
const sections = [
  `Muster\n\n${readFileSync(join(ROOT, 'LICENSE'), 'utf8').trim()}`,
  ...packages.map((one) => `${one.name} ${one.version} (${one.license})\n\n${textOf(one, packages)}`),
  `Node.js, in the executable and the image\n\n${nodeLicense()}`,
];
writeFileSync(join(ROOT, 'dist/NOTICES.txt'), `${sections.join(RULE)}\n`);
