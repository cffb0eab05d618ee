/** What an agent does at the monitoring server, in the order of an agent's life. */
export const OPERATIONS = ['register', 'authorize', 'checkdata', 'packages'] as const;

export type Operation = (typeof OPERATIONS)[number];

export function isOperation(text: string): text is Operation {
  return (OPERATIONS as readonly string[]).includes(text);
}

/** What an agent's own web server is asked for; `serve-other` matches none of its routes. */
export const SERVED_OPERATIONS = [
  'serve-checkdata',
  'serve-packages',
  'serve-prometheus',
  'serve-config',
  'serve-autotls',
  'serve-other',
] as const;

export type ServedOperation = (typeof SERVED_OPERATIONS)[number];
