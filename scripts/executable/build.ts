// Builds a single executable from an installed package and the Node that runs this script, for the current platform:
//   npm pack && npm install --prefix installed --omit=dev ./muster-fleet-muster-*.tgz
//   npm run executable -- installed muster
// A machine needs no Node to run it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { serialize } from 'node:v8';
import { constants, zstdCompressSync } from 'node:zlib';
import manifest from '../../package.json' with { type: 'json' };

/** Files of dependencies that no program reads. */
const UNREAD = /^node_modules\/(?!@muster-fleet\/).*\.(?:d\.[cm]?ts|map|md|markdown)$/;

const [installed, executable] = process.argv.slice(2).map((path) => resolve(path));
if (installed === undefined || executable === undefined)
  throw new Error('expected the folder of an installed package, and the executable to write');

const work = mkdtempSync(join(tmpdir(), 'muster-executable-'));
try {
  const files = filesBelow(join(installed, 'node_modules')).map((path) => `node_modules/${path}`);
  const kept = files.filter((path) => !UNREAD.test(path));
  const bytes = serialize(new Map(kept.map((path) => [path, readFileSync(join(installed, path))])));
  const packed = zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 9 } });
  const hash = createHash('sha256').update(packed).digest('hex').slice(0, 16);
  const asset = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(work, name), content);
    return join(work, name);
  };
  const config = {
    main: join(import.meta.dirname, 'main.cjs'),
    output: executable,
    disableExperimentalSEAWarning: true,
    assets: { package: asset('package', packed), name: asset('name', `${manifest.version}-${hash}`) },
  };
  execFileSync(process.execPath, ['--build-sea', asset('config.json', JSON.stringify(config))], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const megabytes = (sizeBytes: number): string => `${(sizeBytes / 1e6).toFixed(1)} MB`;
  process.stdout.write(
    `${executable}: ${megabytes(statSync(executable).size)}, of which ${megabytes(packed.length)} are ${kept.length} files of the package\n`,
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/')).sort();
}
