import { UserError } from '../../kernel/errors.ts';
import { readIni } from './ini.ts';
import { iniTree } from './ini-sections.ts';
import { flag, type Keys, readKeys, text, type Values, whole } from './keys.ts';
import type { CustomCheck, Exporter } from './settings.ts';
import { trimmed } from './white-space.ts';

export const CUSTOM_CHECKS_FILE = 'customchecks.ini';
export const EXPORTERS_FILE = 'prometheus_exporters.ini';

const CUSTOM_CHECK_KEYS = {
  command: text(),
  interval: whole(0),
  timeout: whole(0),
  enabled: flag(false),
  shell: text(),
  powershell_exe: text(),
};

const EXPORTER_KEYS = {
  enabled: flag(false),
  method: text(),
  port: whole(0),
  path: text(),
  interval: whole(0),
  timeout: whole(0),
};

const DEFAULT_TIMEOUT_SECONDS = 15;
const DEFAULT_INTERVAL_SECONDS = 60;

/** Enabled custom checks but those that the agent never starts. @throws UserError if it leaves the whole file unread. */
export function readCustomChecks(document: string): readonly CustomCheck[] {
  const checks = readThings(document, { file: CUSTOM_CHECKS_FILE, keys: CUSTOM_CHECK_KEYS, required: 'command' });
  return checks
    .filter(([, { enabled }]) => enabled)
    .map(([name, { command, interval, timeout }]) => ({
      ...{ name, command, intervalSeconds: interval > 0 ? interval : DEFAULT_INTERVAL_SECONDS },
      timeoutSeconds: timeout > 0 ? timeout : DEFAULT_TIMEOUT_SECONDS,
    }))
    .filter(({ intervalSeconds, timeoutSeconds }) => timeoutSeconds <= intervalSeconds);
}

/** Enabled exporters. @throws UserError if the agent leaves the whole file unread. */
export function readExporters(document: string): readonly Exporter[] {
  const exporters = readThings(document, { file: EXPORTERS_FILE, keys: EXPORTER_KEYS, required: 'path' });
  return exporters
    .filter(([, { enabled }]) => enabled)
    .map(([name, { port, path, interval, timeout }]) => ({
      ...{ name, port, path, intervalSeconds: interval },
      timeoutSeconds: timeout > 0 ? timeout : DEFAULT_TIMEOUT_SECONDS,
    }));
}

type Format<K extends Keys> = { readonly file: string; readonly keys: K; readonly required: string & keyof K };

/** A thing per section, with the section's name. The section `default` must be well-formed like any other, but is none. */
function readThings<K extends Keys>(
  document: string,
  { file, keys, required }: Format<K>,
): readonly (readonly [string, Values<K>])[] {
  const sections = [...iniTree(readIni(document, file))].flatMap(([name, section]) =>
    typeof section === 'string' ? [] : [[name, readKeys(keys, section, `${file}: [${name}]`)] as const],
  );
  const things = sections.filter(([name]) => name !== 'default');
  const lacking = things.find(([, values]) => trimmed(`${values[required]}`) === '');
  if (lacking === undefined) return things;
  throw new UserError(`${file}: [${lacking[0]}]: expected a ${required}, found none.`);
}
