import { z } from 'zod';
import { type AgentProxy, environmentProxy, PROXY_VARIABLES, type ProxyVariables, proxyOf } from '../agent/proxy.ts';
import { UserError } from '../kernel/errors.ts';
import { escapeVariables } from './reading/variables.ts';

/** What the agents' requests go through, as the scenario has it; undefined: nothing, whatever the environment says. */
export type ProxyChoice =
  /** The text is that of the agents' own configuration. */
  | { readonly kind: 'url'; readonly url: string }
  /** What the variables name for the target's URL. */
  | { readonly kind: 'environment'; readonly variables: ProxyVariables };

const FORM = 'environment, or the URL of a proxy such as http://127.0.0.1:3128';

const URL_FORM =
  /^(?:https?|socks5h?):\/\/(?:(?:[\w.~!$&'()*+,;=:-]|%[\da-f]{2})*@)?(?:\[[\da-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?\/?$/i;

export const proxy = z
  .string(FORM)
  .superRefine((text, context) => {
    if (text === 'environment' || isProxyUrl(text)) return;
    const candidates = ['environment', ...(isProxyUrl(`http://${text}`) ? [`http://${shownProxy(text)}`] : [])];
    context.addIssue({ code: 'custom', message: FORM, params: { candidates } });
  })
  .optional()
  .meta({
    description:
      'Proxy of the agents, as `proxy` in their configuration: an `http://`, `https://` or `socks5://` URL, with `user:password@` if needed. ' +
      '`environment`: use `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` like real agents, which ignore them for targets on this machine. ' +
      'Left out: no proxy; the environment is ignored.',
    examples: ['http://127.0.0.1:3128', 'environment'],
  });

function isProxyUrl(text: string): boolean {
  const match = URL_FORM.exec(text);
  return match !== null && Number(match[1] ?? 0) <= 65_535;
}

export function proxyChoiceOf(text: string | undefined): ProxyChoice | undefined {
  if (text === undefined) return undefined;
  return text === 'environment' ? { kind: 'environment', variables: {} } : { kind: 'url', url: text };
}

/** The same choice with what the environment says, where that is asked. */
export function withEnvironment<C extends ProxyChoice | undefined>(
  choice: C,
  environment: Readonly<Record<string, string | undefined>>,
): C {
  if (choice?.kind !== 'environment') return choice;
  const variables = Object.fromEntries(
    PROXY_VARIABLES.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
  return { ...choice, variables };
}

/**
 * The text of the proxy on the way to a URL; undefined: there is none.
 * @throws UserError where real agents would end.
 */
function proxyTextTo(url: string, choice: ProxyChoice | undefined): string | undefined {
  if (choice?.kind !== 'environment') return choice?.url;
  const text = environmentProxy(choice.variables, new URL(url));
  if (text !== 'refused') return text;
  throw new UserError(
    'target.proxy: expected no HTTP_PROXY in a CGI environment, found HTTP_PROXY and REQUEST_METHOD; ' +
      'agents exit in this case; unset one of them, or set the URL of the proxy.',
  );
}

/** The proxy on the way to a URL. @throws UserError where real agents would end. */
export function proxyTo(url: string, choice: ProxyChoice | undefined): AgentProxy | undefined {
  const text = proxyTextTo(url, choice);
  return text === undefined ? undefined : proxyOf(text);
}

/** The proxy on the way to a URL as messages may show it; undefined: there is none. @throws UserError as `proxyTo`. */
export function shownProxyTo(url: string, choice: ProxyChoice | undefined): string | undefined {
  const text = proxyTextTo(url, choice);
  return text === undefined ? undefined : shownProxy(text);
}

/** Without user and password, which must not end up in logs. */
function shownProxy(text: string): string {
  return text.replace(/^([^/?#]*:\/\/)?[^/?#]*@/, '$1');
}

/** The text that reads as this choice; user and password are asked of the environment. */
export function writtenProxy(choice: ProxyChoice): string {
  if (choice.kind === 'environment') return 'environment';
  const shown = escapeVariables(shownProxy(choice.url));
  return shown === choice.url ? shown : shown.replace('://', '://${MUSTER_PROXY_USER}@');
}

/** What a written choice asks the environment for. */
export function proxySecrets(choice: ProxyChoice | undefined): Readonly<Record<string, string | undefined>> {
  if (choice?.kind === 'environment') return choice.variables;
  return { MUSTER_PROXY_USER: choice?.url.match(/^[^/?#]*:\/\/([^/?#]*)@/)?.[1] ?? '' };
}
