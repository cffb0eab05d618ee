import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { folder } from './muster.ts';

/** The first Node of this machine with a wanted major version: `NODE24`, or one on the PATH that npm did not add. */
export function findNode(isWanted: (major: number) => boolean): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
  const onPath = folders.flatMap((path) => [join(path, 'node24'), join(path, 'node')]);
  return [process.env.NODE24 ?? '', ...onPath].find((path) => existsSync(path) && isWanted(majorOf(path)));
}

/** A PATH on which `node` is this one, whatever the name of its file. */
export function pathWith(node: string): string {
  const place = join(folder, `node-${majorOf(node)}`);
  if (!existsSync(place)) {
    mkdirSync(place);
    symlinkSync(node, join(place, 'node'));
  }
  return [place, process.env.PATH].join(delimiter);
}

function majorOf(node: string): number {
  return Number.parseInt(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.replace('v', '') ?? '', 10);
}
