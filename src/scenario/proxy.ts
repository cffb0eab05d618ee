import { z } from 'zod';
import { UserError } from '../base/kernel/errors.ts';
import {
  type AgentProxy,
  environmentProxy,
  PROXY_VARIABLES,
  type ProxyVariables,
  proxyOf,
} from '../wire/agent/proxy.ts';
import { SecretText } from './reading/variables.ts';

/** The scenario's proxy setting. `undefined` means no proxy; the environment is ignored. */
export type ProxyChoice =
  /** The URL as in the agent's configuration. */
  | { readonly kind: 'url'; readonly url: string }
  /** The proxy that environment variables define for the target's URL. */
  | { readonly kind: 'environment'; readonly variables: ProxyVariables };

const FORM = 'environment, or the URL of a proxy such as http://127.0.0.1:3128';

const URL_FORM =
  /^(?:https?|socks5h?):\/\/(?:(?:[\w.~!$&'()*+,;=:-]|%[\da-f]{2})*@)?(?:\[[\da-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?\/?$/i;

export const proxy = z
  .string(FORM)
  .superRefine((text, context) => {
    if (text === 'environment' || isProxyUrl(text)) return;
    const candidates = ['environment', ...(isProxyUrl(`http://${text}`) ? [`http://${displayProxy(text)}`] : [])];
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

/** The choice with the proxy variables of the environment, if it uses them. */
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

/** The proxy setting for a URL; `undefined` if it has no proxy. @throws UserError in an environment in which real agents exit */
function proxyTextTo(url: string, choice: ProxyChoice | undefined): string | undefined {
  if (choice?.kind !== 'environment') return choice?.url;
  const text = environmentProxy(choice.variables, new URL(url));
  if (text !== 'refused') return text;
  throw new UserError(
    'target.proxy: expected no HTTP_PROXY in a CGI environment, found HTTP_PROXY and REQUEST_METHOD; ' +
      'agents exit in this case; unset one of them, or set the URL of the proxy.',
  );
}

/** The proxy for a URL. @throws UserError in an environment in which real agents exit */
export function proxyTo(url: string, choice: ProxyChoice | undefined): AgentProxy | undefined {
  const text = proxyTextTo(url, choice);
  return text === undefined ? undefined : proxyOf(text);
}

/** The proxy for a URL without credentials, for messages; `undefined` if it has none. @throws UserError like `proxyTo` */
export function displayProxyTo(url: string, choice: ProxyChoice | undefined): string | undefined {
  const text = proxyTextTo(url, choice);
  return text === undefined ? undefined : displayProxy(text);
}

/** Removes user and password, which must not appear in logs. */
function displayProxy(text: string): string {
  return text.replace(/^([^/?#]*:\/\/)?[^/?#]*@/, '$1');
}

/** The inverse of `proxyChoiceOf`; user and password become a reference. */
export function proxyText(choice: ProxyChoice): string | SecretText {
  if (choice.kind === 'environment') return 'environment';
  const [, user] = /^[^/?#]*:\/\/([^/?#]*)@/.exec(choice.url) ?? [];
  if (user === undefined) return choice.url;
  return new SecretText(displayProxy(choice.url).replace('://', '://${MUSTER_PROXY_USER}@'), {
    MUSTER_PROXY_USER: user,
  });
}
