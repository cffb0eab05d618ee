/**
 * Prints the share of the package names on a profile's hosts that are in a list of names, one per line. Run by hand:
 *
 *     apt-cache pkgnames > names.txt && node scripts/real-names.ts debian-12 names.txt
 *
 * Counts all packages of a fleet's hosts, and the distinct names.
 */
import { readFileSync } from 'node:fs';
import { readHostData } from '../src/base/storage/host-data.ts';
import { plain } from '../src/hosts/document/plain.ts';
import { createMachines } from '../src/hosts/payloads.ts';
import { profileNamed } from '../src/hosts/profiles.ts';

const HOSTS = 200;
const INSTANT_MS = Date.UTC(2026, 10, 21, 12);

const [profile, file] = process.argv.slice(2);
if (profile === undefined || file === undefined) throw new Error('usage: real-names.ts <profile> <file of names>');
const fleet = {
  data: readHostData(),
  seed: 1,
  profiles: { [profileNamed(profile).name]: 1 },
  payload: 'full',
  checkIntervalSeconds: 30,
} as const;
const real = new Set(readFileSync(file, 'utf8').split('\n'));
const names = Array.from({ length: HOSTS }, (_, agent) => namesOn(agent)).flat();
const distinct = [...new Set(names)];
const missing = distinct.filter((name) => !real.has(name));
const percent = (all: readonly string[]) =>
  ((100 * all.filter((name) => real.has(name)).length) / all.length).toFixed(1);
process.stdout.write(`${percent(names)} % of ${names.length} packages on ${HOSTS} hosts of ${profile}\n`);
process.stdout.write(
  `${percent(distinct)} % of ${distinct.length} distinct names\nnot in the list: ${missing.join(' ')}\n`,
);

function namesOn(agent: number): readonly string[] {
  const { node, frame } = createMachines(fleet).packages(agent, INSTANT_MS);
  const { LinuxPackages } = plain(node(), frame) as unknown as { LinuxPackages: { Name: string }[] };
  return LinuxPackages.map(({ Name }) => Name);
}
