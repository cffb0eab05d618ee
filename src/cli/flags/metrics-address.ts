import { type Address, isLoopback, parseAddress, parsePort } from '../../kernel/address.ts';
import { UserError } from '../../kernel/errors.ts';
import type { Environment } from '../../scenario/reading/variables.ts';
import { onlyOne, variableOf } from './scenario.ts';

/** `127.0.0.1:9464`, `[::1]:9464`, `:9464` or `9464`; undefined: nobody may ask. Throws `UserError` for anything else. */
export function metricsAddressOf(flag: string | undefined, environment: Environment): Address | undefined {
  const given = onlyOne('metrics-address', flag);
  const variable = variableOf('metrics-address', environment);
  const text = given ?? variable.value;
  if (text === undefined) return undefined;
  const address = parseAddress(parsePort(text) === undefined ? text : `:${text}`);
  if (address !== undefined && isLoopback(address.host)) return address;
  const source = given === undefined ? variable.name : '--metrics-address';
  throw new UserError(
    `${source}: expected a port on loopback such as 127.0.0.1:9464, [::1]:9464 or :9464, found ${JSON.stringify(text)}` +
      `${address === undefined ? '' : '; figures are shown to this machine alone'}.`,
  );
}
