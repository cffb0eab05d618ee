/** What an agent does at the monitoring server, in the order of an agent's life. */
export const OPERATIONS = ['register', 'authorize', 'checkdata', 'packages'] as const;

/** What a monitoring server that pulls does at an agent: the whole Auto-TLS exchange, POST /config, GET /, GET /packages. */
export const PULL_OPERATIONS = ['exchange', 'configure', 'poll', 'poll-packages'] as const;

export type Operation = (typeof OPERATIONS)[number];
export type PullOperation = (typeof PULL_OPERATIONS)[number];

export function isOperation(text: string): text is Operation {
  return (OPERATIONS as readonly string[]).includes(text);
}
