/** The services of the platform. Streams, subjects, durable consumers, databases and NATS users are named after them. */
export const serviceNames = [
  'gateway',
  'catalog',
  'checkout',
  'billing',
  'affiliate',
  'metrics',
  'webhook-dispatcher',
] as const;

export type ServiceName = (typeof serviceNames)[number];

/** Of a service's database and of its user there, which need no quotes in SQL. */
export const databaseName = (service: ServiceName): string => service.replaceAll('-', '_');
