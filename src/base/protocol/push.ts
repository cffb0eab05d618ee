import type { Operation } from './operations.ts';

/** The three endpoints of the push API, relative to the server's base URL (docs/reference/wire.md, "Push API"). */
export const ENDPOINT_PATHS = {
  register_agent: '/agentconnector/register_agent.json',
  submit_checkdata: '/agentconnector/submit_checkdata.json',
  submit_package_info: '/agentconnector/submit_package_info.json',
} as const;

export type Endpoint = keyof typeof ENDPOINT_PATHS;

export const ENDPOINTS = Object.keys(ENDPOINT_PATHS) as readonly Endpoint[];

/** Registration and authorization share an endpoint; only authorization sends a password. */
export const ENDPOINT_OF: Readonly<Record<Operation, Endpoint>> = {
  register: 'register_agent',
  authorize: 'register_agent',
  checkdata: 'submit_checkdata',
  packages: 'submit_package_info',
};

export const AGENT_VERSION = '3.6.1';
export const USER_AGENT = `openITCOCKPIT Agent/${AGENT_VERSION}`;
export const API_KEY_SCHEME = 'X-OITC-API';

/** The value of `Authorization`. With an empty key, the space after the scheme is trimmed, as on the real wire. */
export function authorizationHeader(apiKey: string): string {
  return apiKey === '' ? API_KEY_SCHEME : `${API_KEY_SCHEME} ${apiKey}`;
}

/** A password issued by a server: 64 random bytes in lowercase hex. */
export const PASSWORD_LENGTH = 128;

/** Values of the push server's `error`, spelled as on the wire (docs/reference/wire.md, "Push API"). */
export const ERROR_TEXTS = {
  fieldsMissing: 'Field uuid or password is missing in POST data',
  alreadyRegistered: 'The given UUID is already registed with a password!',
  agentNotFound: 'No Agent found for given UUID and password',
  credentialsOrHost: 'Invalid credentials or host not found',
  packageInformation: 'Error while processing package information',
} as const;

/** 201 of a registration; the written API answers a successful authorization with the same members and 200. */
export type RegisteredAnswer = { readonly agentuuid: string; readonly password: string };

/** 200 of a check data push. */
export type CheckdataAnswer = { readonly received_checks: number };

/** 200 and 400 of a push of package information. */
export type PackageInfoAnswer = { readonly success: boolean; readonly error: string };

/** 400, 403 and 404 of registration and check data. */
export type ErrorAnswer = { readonly error: string };

/** The web framework's own answers, for a wrong method or an unknown path. */
export type FrameworkAnswer = { readonly message: string; readonly url: string; readonly code: number };

/**
 * `documented`: statuses and bodies of the written API. `shipped`: behavior of the released server's code, in its order
 * of evaluation (docs/reference/differences.md, "Where the written API and the shipped code differ").
 */
export const DIALECT_NAMES = ['documented', 'shipped'] as const;

export type DialectName = (typeof DIALECT_NAMES)[number];
