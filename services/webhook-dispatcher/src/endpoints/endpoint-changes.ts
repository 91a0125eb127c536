import type { NatsClient } from '@app/messaging/connect';

const subject = 'wake.webhook-dispatcher.endpoint';

export interface EndpointChanges {
  announce(endpointId: string): void;
  close(): void;
}

/**
 * Replicas tell each other which endpoint was changed, so that what they hold for it goes out under its new settings.
 * A message that gets lost costs no more than what is in memory: the database decides about everything else.
 */
export function listenForChanges(link: NatsClient, changed: (endpointId: string) => void): EndpointChanges {
  const subscription = link.connection.subscribe(subject, {
    callback: (err, message) => {
      if (err === null) changed(message.string());
    },
  });
  return {
    announce: (endpointId) => {
      if (link.connected()) link.connection.publish(subject, endpointId);
      else changed(endpointId);
    },
    close: () => {
      if (!link.connection.isClosed()) subscription.unsubscribe();
    },
  };
}
