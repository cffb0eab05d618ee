import { z } from 'zod';
import { displayUrl, QUERY } from './server-urls.ts';

const URL_FORM = 'embedded, or the base URL of a push server such as https://host/prefix';

const BASE_FORM = 'only the base URL, because agents append /agentconnector/… themselves';

/** What agents append, in a URL that should not have it. */
const ENDPOINT = /\/agentconnector(\/[^/]*)?\/*$/i;

const SERVER_FORM = 'the base URL of a push server such as http://127.0.0.1:8081, without user or query';

/** The URL of a server other than the target. It must not have a query, because that may contain a secret. */
export const serverUrl = z.string(SERVER_FORM).superRefine((value, context) => {
  const isServer = isServerUrl(value) && displayUrl(value) === value;
  if (isServer && !ENDPOINT.test(value)) return;
  const params = /[?@]/.test(value) ? { found: 'a user or a query' } : {};
  context.addIssue({ code: 'custom', message: isServer ? BASE_FORM : SERVER_FORM, params });
});

const NO_USER =
  'a base URL without user and password, because the header Authorization of agents carries their API key';

export const targetUrl = z.string(URL_FORM).superRefine((value, context) => {
  if (value === 'embedded') return;
  if (!isServerUrl(value)) {
    const candidates = ['embedded', ...withScheme(value)];
    context.addIssue({ code: 'custom', message: urlSlip(value) ?? URL_FORM, params: { candidates } });
    return;
  }
  const { username, password } = new URL(value);
  if (username + password !== '')
    context.addIssue({ code: 'custom', message: NO_USER, params: { found: 'both or one of them' } });
  const url = value.replace(QUERY, '');
  if (ENDPOINT.test(url)) {
    const candidates = [displayUrl(url.replace(ENDPOINT, ''))];
    context.addIssue({ code: 'custom', message: BASE_FORM, params: { candidates } });
  }
});

/** The expectation for a nearly valid URL. */
function urlSlip(value: string): string | undefined {
  const [, port] = /^https?:\/\/[^/?#]*:(\d+)(?:[/?#]|$)/i.exec(value) ?? [];
  if (port !== undefined && Number(port) > 65_535) return 'a port up to 65535 in the base URL';
  return URL.canParse(value) && new URL(value).hash !== '' ? 'a base URL without a fragment (#…)' : undefined;
}

export const baseUrl = targetUrl
  .refine((value) => value !== 'embedded', 'a base URL; set embedded with url')
  .meta({
    description: 'A base URL; a repeated URL gets more agents.',
    examples: ['https://mon-1.example'],
  });

/** Suggests `http://` for a text that is a host with an optional port and path. Any other text may contain a secret. */
function withScheme(value: string): readonly string[] {
  const [, scheme = 'http', rest = ''] =
    /^(?:(https?):\/?(?!\/))?([\w.-]+(?::\d+)?(?:\/[\w./-]*)?)$/i.exec(value) ?? [];
  return rest === '' ? [] : [`${scheme}://${rest}`];
}

/** Whether a text is a URL that agents can push to. */
function isServerUrl(value: string): boolean {
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  if (parsed === undefined || !/^\s*https?:\/\//i.test(value) || parsed.hash !== '') return false;
  const { hostname, pathname } = parsed;
  // Go, which agents are written in, does not know `127.1`.
  const isShortAddress = /^[\d.]+$/.test(hostname) && !value.includes(hostname);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: They would end the request line.
  return !isShortAddress && !/[\x00-\x1f\x7f]/.test(value.trim()) && isUtf8(pathname);
}

function isUtf8(escapedPath: string): boolean {
  try {
    decodeURIComponent(escapedPath);
    return true;
  } catch {
    return false;
  }
}
