import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { folder } from './muster.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const OFFLINE = /ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT/;

export type Installation = {
  /** The folder where the command was installed. */
  readonly place: string;
  /** The folder of the package in it. */
  readonly home: string;
  readonly tarballBytes: number;
  /** Why there is no installation, for the title of a test: the registry was unreachable. Otherwise empty. */
  readonly missing: string;
};

/**
 * Builds and packs the checkout as a release does, and installs the tarball in an empty folder.
 *
 * @throws Error if that fails for any reason other than the registry
 */
export function installPacked(): Installation {
  const place = join(folder, 'installed');
  mkdirSync(place);
  // With this file, npm uses the versions that `npm ci` left in its cache, and needs no network.
  cpSync(join(ROOT, 'package-lock.json'), join(place, 'package-lock.json'));
  const packed = npm(ROOT, 'pack', '--silent', '--pack-destination', folder);
  if (packed.status !== 0) throw new Error(`${packed.stdout}${packed.stderr}`);
  const tarball = join(folder, packed.stdout.trim().split('\n').at(-1) ?? '');
  const tarballBytes = statSync(tarball).size;
  const flags = ['--prefer-offline', '--fetch-retries=0', '--omit=dev', '--no-audit', '--no-fund', '--prefix', place];
  const { status, stderr } = npm(place, 'install', ...flags, tarball);
  const code = OFFLINE.exec(stderr)?.[0];
  if (status !== 0 && code === undefined) throw new Error(stderr);
  // Hooks of a file whose tests are all skipped do not run.
  if (status !== 0) rmSync(folder, { recursive: true });
  const missing = status === 0 ? '' : ` (skipped: npm install ended with ${code})`;
  return { place, home: join(place, 'node_modules', manifest.name), tarballBytes, missing };
}

function npm(cwd: string, ...args: readonly string[]) {
  return spawnSync('npm', [...args], { cwd, encoding: 'utf8' });
}
