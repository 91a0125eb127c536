import type { NatsClient } from '@app/messaging/connect';

const subject = 'wake.webhook-dispatcher.endpoint';

export interface EndpointChanges {
  announce(endpointId: string): void;
  close(): void;
}

/**
 * Replicas announce to each other which endpoint was changed, so that the deliveries in their memory are sent under its
 * new settings. A lost message affects only those deliveries: the database decides about all others.
 */
export function listenForChanges(nats: NatsClient, changed: (endpointId: string) => void): EndpointChanges {
  const subscription = nats.connection.subscribe(subject, {
    callback: (err, message) => {
      if (err === null) changed(message.string());
    },
  });
  return {
    announce: (endpointId) => {
      if (nats.connected()) nats.connection.publish(subject, endpointId);
      else changed(endpointId);
    },
    close: () => {
      if (!nats.connection.isClosed()) subscription.unsubscribe();
    },
  };
}
