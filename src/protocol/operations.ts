/** What an agent does at the monitoring server, in the order of an agent's life. */
export const OPERATIONS = ['register', 'authorize', 'checkdata', 'packages'] as const;

export type Operation = (typeof OPERATIONS)[number];

export function isOperation(text: string): text is Operation {
  return (OPERATIONS as readonly string[]).includes(text);
}
