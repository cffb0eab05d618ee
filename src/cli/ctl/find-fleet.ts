import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { NotOwnError, UserError } from '../../base/kernel/errors.ts';
import { printable } from '../../base/kernel/printable.ts';
import { quoted } from '../../base/notation/finding.ts';
import { controlFileOf, identitiesBeside, identitiesOf, readControlFile } from '../../base/storage/control-file.ts';
import { displayUrl } from '../../scenario/server-urls.ts';
import { loadScenario } from '../flags/load-scenarios.ts';
import type { Io } from '../io.ts';

/** URL and token of a fleet's control API. */
export type FleetAccess = {
  readonly url: string;
  readonly token: string;
  /** The identity file next to the control file; `undefined` if the fleet was selected by URL. */
  readonly identities: string | undefined;
};

export type FleetChoice = { readonly [Flag in 'url' | 'scenario' | 'data']?: string | undefined };

/** Finds a fleet by flags, the environment or its control file, in this order. Throws `UserError` if there is none, or several. */
export async function findFleet(choice: FleetChoice, io: Io): Promise<FleetAccess> {
  const { MUSTER_CONTROL_URL, MUSTER_CONTROL_TOKEN: given } = io.env;
  const isChosen = choice.scenario !== undefined || choice.data !== undefined;
  const written = choice.url ?? (isChosen ? undefined : MUSTER_CONTROL_URL || undefined);
  if (written !== undefined) {
    const url = checkedUrl(written);
    return { url, token: tokenFor(url, given), identities: undefined };
  }
  const file = await controlFile(choice, io);
  const record = readControlFile(file);
  return { url: record.url, token: given || record.token, identities: identitiesBeside(file) };
}

/** Without user, query and fragment: the API reads none of them, and the address of a dashboard ends with the token. */
function checkedUrl(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  throw new UserError(
    `--url: expected the address of a control API such as http://127.0.0.1:9500, found ${quoted(displayUrl(text))}.`,
  );
}

function tokenFor(url: string, token: string | undefined): string {
  if (token) return token;
  throw new UserError(
    `MUSTER_CONTROL_TOKEN: expected the token of the fleet at ${url}, found none; on the machine of the fleet, omit --url.`,
  );
}

async function controlFile({ scenario: file, data }: FleetChoice, io: Io): Promise<string> {
  if (data !== undefined) return controlFileOf(resolve(io.cwd, data, 'identities.db'));
  if (file === undefined) return onlyControlFile(io);
  const { scenario } = await loadScenario(file, {}, io);
  return controlFileOf(identitiesOf(scenario, io.cwd));
}

function onlyControlFile({ cwd, stderr }: Io): string {
  const files = globSync(['*.control.json', join('fleets', '*', '*.control.json')], { cwd });
  const planted: string[] = [];
  const up = files.filter((file) => {
    try {
      return readControlFile(resolve(cwd, file));
    } catch (error) {
      if (error instanceof NotOwnError) planted.push(error.message);
      return false;
    }
  });
  // A planted file is named, whatever else is found.
  if (up.length > 0) for (const sentence of planted) stderr.write(`! ${printable(sentence)}\n`);
  const [only = files[0], ...others] = up;
  if (others.length > 0)
    throw new UserError(
      `Expected one running fleet here, found ${up.sort().join(', ')}: select one with --scenario or --data.`,
    );
  if (only !== undefined) return resolve(cwd, only);
  throw new UserError(
    `Expected a running fleet, found none in ${cwd} or its folder fleets: start one with muster fleet or muster run --control, or select one with --scenario, --data or --url.`,
  );
}
