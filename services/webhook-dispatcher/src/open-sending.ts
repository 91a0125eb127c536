import type { ServiceContext } from '@app/service-host/define-service';
import { startLeaseOwner } from '@app/service-kit/lease-owner';
import { secretsOf } from '@app/service-kit/sealed-box';
import { createEmails, type Emails } from './automations/emails.ts';
import { usualLimits, type WebhookDispatcherConfig } from './config.ts';
import { observeDeliveries } from './deliveries/delivery-gauges.ts';
import { Dispatcher } from './deliveries/dispatcher.ts';
import { startApplyingChanges } from './endpoints/applying-changes.ts';
import { listenForChanges } from './endpoints/endpoint-changes.ts';
import type { EndpointDeps } from './endpoints/endpoint-deps.ts';
import { createSwitchOff } from './failing/switch-off.ts';
import type { Storage } from './open-storage.ts';
import { startRecoveryLoop } from './repair/recovery-loop.ts';
import { createSecretBox } from './secrets/secret-box.ts';

/** What sends deliveries, and what changes of endpoints need beside it. */
export type Sending = EndpointDeps & {
  readonly dispatcher: Dispatcher;
  readonly emails: Emails;
  readonly attemptTimeoutMs: number;
};

/** Opens what sends deliveries and what follows changes of endpoints; `resources` close it in reverse. */
export async function openSending(
  { config, installation, logger, nats, requester, resources }: ServiceContext<WebhookDispatcherConfig>,
  storage: Storage,
): Promise<Sending> {
  const { database, clock } = storage;
  const limits = { ...usualLimits, ...config.limits };
  const secrets = createSecretBox(secretsOf(config.SECRETS_KEY, config.SECRETS_KEY_PREVIOUS));
  const allowLoopback = config.WEBHOOKS_ALLOW_LOOPBACK === 'enabled';
  if (allowLoopback)
    logger.info('webhooks to loopback addresses are allowed: sellers can reach every port of this machine');
  const owner = resources.add('lease owner', await startLeaseOwner(database, logger), (started) => started.close());
  const emails = createEmails(config, { ...storage, requester, publicUrl: config.PUBLIC_URL });
  const attemptTimeoutMs = config.ATTEMPT_TIMEOUT_SECONDS * 1_000;
  const dispatcher = new Dispatcher({
    ...storage,
    owner: owner.id,
    isHeld: installation.isCopy,
    secrets,
    allowLoopback,
    attemptTimeoutMs,
    leaseSeconds: config.LEASE_SECONDS,
    webhooksPerSecond: config.WEBHOOKS_PER_SECOND,
    sendEmail: emails.sendEmail,
    emailTimeoutMs: emails.timeoutMs,
    onFailingForLong: (endpointId) => switchOff.failingForLong(endpointId),
    onGone: (endpointId, url) => switchOff.gone(endpointId, url),
  });
  resources.add('dispatcher', dispatcher, (started) => started.close());
  resources.add('delivery gauges', observeDeliveries(database, clock), (observed) => observed.close());
  const applying = startApplyingChanges({ ...storage, ...limits });
  resources.add('endpoint changes to apply', applying, (started) => started.close());
  const recoveryLoop = startRecoveryLoop({ ...storage, ...limits, onDue: () => dispatcher.wake() });
  resources.add('recoveries', recoveryLoop, (started) => started.close());
  const changes = listenForChanges(nats, (endpointId) => {
    void dispatcher.endpointChanged(endpointId);
    applying.wake();
    recoveryLoop.wake();
  });
  resources.add('endpoint changes', changes, (started) => started.close());
  const changing = { applyChange: applying.applyFew, announce: changes.announce };
  const switchOff = createSwitchOff({ ...storage, ...changing, emailsAvailable: emails.available });
  return { ...changing, database, clock, secrets, allowLoopback, dispatcher, emails, attemptTimeoutMs };
}
