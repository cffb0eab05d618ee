import { UserError } from '../../kernel/errors.ts';
import { TLS_LEVELS, type TlsLevel } from '../../protocol/pull.ts';
import { CONFIG_FILE, type ConfigValues } from './config-values.ts';
import { shown } from './ini.ts';
import type { AgentSettings, BasicAuth } from './settings.ts';

type WebServerSettings = Pick<
  AgentSettings,
  'address' | 'port' | 'autoTls' | 'tlsLevel' | 'ownCertificate' | 'basicAuth' | 'configPush'
>;

/** How the web server shall be; what is wrong with that counts only if it listens. @throws UserError where the agent ends. */
export function webServerSettings(main: ConfigValues['default'], listens: boolean): WebServerSettings {
  const { certfile: certFile, keyfile: keyFile, port } = main;
  const address = hostOf(main.address);
  const basicAuth = main.auth === '' ? undefined : basicAuthOf(main.auth);
  if (listens) {
    if (address === undefined) refuse(`address = ${shown(main.address)}: expected a name, IPv4, or IPv6 in brackets`);
    if (port < 0 || port > 65_535) refuse(`port: expected a whole number from 0 to 65535, found ${port}`);
    if (main.auth !== '' && basicAuth === undefined) refuse('auth: expected user:password, found no colon');
  }
  return {
    address: address ?? main.address,
    port,
    autoTls: main['try-autossl'],
    tlsLevel: tlsLevelOf(main['tls-security-level']),
    ownCertificate: certFile === '' || keyFile === '' ? undefined : { certFile, keyFile },
    basicAuth,
    configPush: main['config-update-mode'],
  };
}

/** The agent puts address and port together with a colon, so IPv6 has to bring its brackets. */
function hostOf(address: string): string | undefined {
  const bracketed = /^\[([^[\]]*)\]$/.exec(address)?.[1];
  return bracketed ?? (/[:[\]]/.test(address) ? undefined : address);
}

function basicAuthOf(auth: string): BasicAuth | undefined {
  const colon = auth.indexOf(':');
  return colon < 0 ? undefined : { user: auth.slice(0, colon), password: auth.slice(colon + 1) };
}

/** Any other word, and any other spelling, is lax. */
function tlsLevelOf(word: string): TlsLevel {
  return TLS_LEVELS.find((level) => level === word) ?? 'lax';
}

function refuse(what: string): never {
  throw new UserError(`${CONFIG_FILE}: [default] ${what}.`);
}
