/** Operations of agents at the monitoring server, in the order of an agent's life. */
export const OPERATIONS = ['register', 'authorize', 'checkdata', 'packages'] as const;

/** Requests to an agent's own web server, by route. */
export const SERVED_OPERATIONS = [
  'serve-checkdata',
  'serve-packages',
  'serve-prometheus',
  'serve-config',
  'serve-autotls',
  'serve-other',
] as const;

/** Operations of a monitoring server in pull mode: the whole Auto-TLS exchange, POST /config, GET /, GET /packages. */
export const PULL_OPERATIONS = ['exchange', 'configure', 'poll', 'poll-packages'] as const;

/** All separately counted operations, in the order of tables. */
export const MEASURED_OPERATIONS = [...OPERATIONS, ...SERVED_OPERATIONS, ...PULL_OPERATIONS] as const;

export type Operation = (typeof OPERATIONS)[number];
export type ServedOperation = (typeof SERVED_OPERATIONS)[number];
export type PullOperation = (typeof PULL_OPERATIONS)[number];
export type MeasuredOperation = (typeof MEASURED_OPERATIONS)[number];

/** Whether the operation is one that agents perform at the monitoring server. */
export function isOperation(text: string): text is Operation {
  return (OPERATIONS as readonly string[]).includes(text);
}

export function isServedOperation(text: string): text is ServedOperation {
  return (SERVED_OPERATIONS as readonly string[]).includes(text);
}

export function isPullOperation(text: string): text is PullOperation {
  return (PULL_OPERATIONS as readonly string[]).includes(text);
}

export function isMeasuredOperation(text: string): text is MeasuredOperation {
  return (MEASURED_OPERATIONS as readonly string[]).includes(text);
}

/** States in the life of an agent (docs/reference/wire.md, "The agent's life"). */
export const LIFECYCLE_STATES = ['unregistered', 'waiting', 'refused', 'registered', 'authorized'] as const;
export type LifecycleState = (typeof LIFECYCLE_STATES)[number];
