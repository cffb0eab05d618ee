/** Texts the push server puts under `error`, spelling as on the wire (docs/protocol.md, "Push API"). */
export const ERROR_TEXTS = {
  fieldsMissing: 'Field uuid or password is missing in POST data',
  alreadyRegistered: 'The given UUID is already registed with a password!',
  agentNotFound: 'No Agent found for given UUID and password',
  credentialsOrHost: 'Invalid credentials or host not found',
  packageInformation: 'Error while processing package information',
} as const;

/** 201 of a registration; the written API answers a successful authorization with the same members and 200. */
export type RegisteredAnswer = { readonly agentuuid: string; readonly password: string };

/** 200 of a check-data push. */
export type CheckdataAnswer = { readonly received_checks: number };

/** 200 and 400 of a package-information push. */
export type PackageInfoAnswer = { readonly success: boolean; readonly error: string };

/** 400, 403 and 404 of registration and check data. */
export type ErrorAnswer = { readonly error: string };

/** The web framework's own answers: wrong method, unknown path. */
export type FrameworkAnswer = { readonly message: string; readonly url: string; readonly code: number };
