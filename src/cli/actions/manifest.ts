import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fetched, type ManifestOrder, manifestOf } from '../../cluster/kubernetes/manifest.ts';
import { isLoopback } from '../../ground/kernel/address.ts';
import { UserError } from '../../ground/kernel/errors.ts';
import { readHostData } from '../../ground/storage/host-data.ts';
import { readCertificates } from '../../ground/storage/text-files.ts';
import { assertShardsPossible, assertTargetAllowed } from '../../run/guards.ts';
import { baseUrlsOf, shownUrl } from '../../scenario/base-urls.ts';
import { planOf } from '../../scenario/planning/plan.ts';
import { stayingScenario } from '../../scenario/planning/staying.ts';
import type { ManifestFlags } from '../commands/machines.ts';
import { loadScenario, scenarioContext } from '../flags/load-scenarios.ts';
import { type ManifestRequest, manifestWanted } from '../flags/manifest.ts';
import type { Io } from '../io.ts';

const TEMPLATE = new URL('../../cluster/kubernetes/manifest.yaml', import.meta.url);

/** Writes a manifest to stdout. Throws `UserError` for a scenario that a cluster cannot run. */
export async function writeManifest(flags: ManifestFlags, io: Io): Promise<void> {
  const scenario = await loadScenario(flags.scenario, await scenarioContext(flags, io), io);
  const wanted = manifestWanted(flags, scenario.name);
  assertTargetAllowed(scenario.target);
  assertElsewhere(scenario.target);
  assertShardsPossible(scenario, { count: wanted.machines });
  const { caFile } = scenario.target.tls;
  const authority = caFile === undefined ? undefined : await readCertificates(caFile);
  const template = readFileSync(TEMPLATE, 'utf8');
  const nats = await withAuthority(wanted.nats, io.cwd);
  // Refused here as well as by the coordinator.
  if (wanted.kind === 'fleet') stayingScenario(scenario);
  const plan = planOf(scenario, readHostData());
  const { text, needs, planned } = manifestOf({ ...wanted, nats, template, scenario, plan, authority });
  if (wanted.memoryMib !== undefined && wanted.memoryMib < planned.memoryMib)
    io.stderr.write(
      `! --memory: expected at least the ${planned.memoryMib}Mi per machine that the plan needs, found ${needs.memoryMib}Mi\n`,
    );
  io.stdout.write(text);
  const { what, command } = fetched(wanted);
  io.stderr.write(`${what}: ${command}\n`);
}

async function withAuthority(nats: ManifestRequest['nats'], cwd: string): Promise<ManifestOrder['nats']> {
  if (nats.kind === 'own') return nats;
  const { caFile, ...rest } = nats;
  return { ...rest, authority: caFile && (await readCertificates(resolve(cwd, caFile))) };
}

/** Throws `UserError` for a target on loopback: in a pod, nothing listens there. */
function assertElsewhere(target: Parameters<typeof baseUrlsOf>[0]): void {
  for (const url of baseUrlsOf(target)) {
    const isHere = url === 'embedded' || isLoopback(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'));
    if (isHere)
      throw new UserError(
        `The target ${shownUrl(url)}: expected a server that pods can reach, found one on this machine; set another one with --target and --allow.`,
      );
  }
}
