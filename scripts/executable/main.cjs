// Entry point of the single executable. Unpacks the package into the user's cache, once per version, and starts it from there.
// Worker threads and data are files, so the package cannot stay inside the executable.
const { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { homedir, tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { getAsset, getRawAsset } = require('node:sea');
const { deserialize } = require('node:v8');
const { zstdDecompressSync } = require('node:zlib');

// As in src/cli/exit-codes.ts.
const USER_ERROR = 104;

/**
 * The user's cache folder (XDG Base Directory Specification), and otherwise a new temporary folder until the process ends: nobody else can
 * have put anything there.
 */
const CACHES = [
  () => join(process.env.XDG_CACHE_HOME || process.env.LOCALAPPDATA || join(homedir(), '.cache'), 'muster'),
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    return folder;
  },
];

function unpack(folder) {
  const own = `${folder}.${process.pid}`;
  try {
    for (const [path, bytes] of deserialize(zstdDecompressSync(getRawAsset('package')))) {
      const file = join(own, path);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, bytes);
    }
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  }
}

/** Returns the folder of the unpacked package. A folder that other users can write to could contain another user's program. */
function unpacked(cache) {
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  assertOwn(cache);
  const folder = join(cache, getAsset('name', 'utf8'));
  if (!existsSync(folder)) unpack(folder);
  assertOwn(folder);
  return folder;
}

function assertOwn(folder) {
  const { uid, mode } = statSync(folder);
  if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0))
    throw new Error(`${folder} can be written by others`);
}

/** Returns the folder in the first usable cache, or `undefined` after it has printed the reasons. */
function findFolder() {
  const reasons = [];
  for (const cache of CACHES) {
    try {
      return unpacked(cache());
    } catch (error) {
      reasons.push(error.message);
    }
  }
  process.stderr.write(
    `muster unpacks itself into a cache and found no folder that it can write: ${reasons.join('; ')}. Set XDG_CACHE_HOME to one.\n`,
  );
  process.exitCode = USER_ERROR;
  return undefined;
}

const folder = findFolder();
if (folder !== undefined) createRequire(join(folder, 'executable.cjs'))('@muster-fleet/muster/src/launcher.cjs');
