import { UserError } from '../../kernel/errors.ts';

/** Where a server listens. Port 0 is any free port. */
export type ListenAddress = { readonly host: string; readonly port: number };

const FORM = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/;
export const HIGHEST_PORT = 65_535;

/** Reads `127.0.0.1:8080`, `[::1]:8080`, or `:8080` for loopback. Throws `UserError` for anything else. */
export function parseListenAddress(text: string): ListenAddress {
  const [, v6 = '', host = '', digits] = FORM.exec(text) ?? [];
  const port = Number(digits ?? Number.NaN);
  if (!(port <= HIGHEST_PORT))
    throw new UserError(
      `--listen: expected host:port such as 127.0.0.1:8080 or [::1]:0, found ${JSON.stringify(text)}`,
    );
  return { host: v6 || host || '127.0.0.1', port };
}
