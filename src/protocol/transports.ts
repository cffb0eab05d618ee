/** What carries the agents' requests; `auto`: the first that can do what a scenario asks for. */
export const TRANSPORT_CHOICES = ['auto', 'direct', 'undici'] as const;

export type TransportChoice = (typeof TRANSPORT_CHOICES)[number];
export type TransportAdapter = Exclude<TransportChoice, 'auto'>;
