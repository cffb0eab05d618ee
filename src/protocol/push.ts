import type { Operation } from './operations.ts';

/** The push API's three endpoints below the server's base URL (docs/protocol.md, "Push API"). */
export const ENDPOINT_PATHS = {
  register_agent: '/agentconnector/register_agent.json',
  submit_checkdata: '/agentconnector/submit_checkdata.json',
  submit_package_info: '/agentconnector/submit_package_info.json',
} as const;

export type Endpoint = keyof typeof ENDPOINT_PATHS;

/** Registration and authorization share one endpoint; the password tells them apart. */
export const ENDPOINT_OF: Readonly<Record<Operation, Endpoint>> = {
  register: 'register_agent',
  authorize: 'register_agent',
  checkdata: 'submit_checkdata',
  packages: 'submit_package_info',
};

export const AGENT_VERSION = '3.6.1';
export const USER_AGENT = `openITCOCKPIT Agent/${AGENT_VERSION}`;
export const API_KEY_SCHEME = 'X-OITC-API';

/** The value of `Authorization`: with an empty key the blank after the scheme is trimmed, as on the real wire. */
export function authorizationHeader(apiKey: string): string {
  return apiKey === '' ? API_KEY_SCHEME : `${API_KEY_SCHEME} ${apiKey}`;
}

/** A password issued by a server is 64 random bytes in lower-case hex. */
export const PASSWORD_LENGTH = 128;
