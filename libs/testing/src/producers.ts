import type { EventDefinition } from '@app/contracts/define';
import type { ServiceName } from '@app/contracts/services';
import { connectNats, type NatsClient } from '@app/messaging/connect';
import type { writeContext } from '@app/messaging/request-headers';
import type { TestNats } from './nats.ts';

export interface PublishedEvent {
  readonly id: string;
  readonly accountId: string;
  readonly occurredAt: string;
  readonly data: unknown;
}

/** Stand-ins for the services whose events the service under test consumes. */
export interface Producers {
  /** Puts an event on its producer's stream; resolves when the stream has it. */
  publish(definition: EventDefinition, event: PublishedEvent, headers?: ReturnType<typeof writeContext>): Promise<void>;
  close(): Promise<void>;
}

/**
 * Connects as each of the services, with its user and permissions.
 * @param ackWithinMs after which a publish fails that a killed server will never acknowledge
 */
export async function startProducers(
  nats: TestNats,
  services: readonly ServiceName[],
  ackWithinMs = 20_000,
): Promise<Producers> {
  const links = new Map<ServiceName, NatsClient>();
  for (const service of services) {
    const link = await connectNats(nats.login(service));
    links.set(service, link);
  }
  return {
    publish: async (definition, event, headers) => {
      const link = links.get(definition.service);
      if (link === undefined) throw new Error(`no producer stands in for ${definition.service}`);
      // A stream answers a request with its acknowledgement.
      const options = { timeout: ackWithinMs, ...(headers === undefined ? {} : { headers }) };
      await link.connection.request(definition.subject, JSON.stringify(event), options);
    },
    close: async () => {
      for (const link of links.values()) await link.close();
    },
  };
}
