import type { ServiceContext } from '@app/service-host/define-service';
import { AdjustableClock, type Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import { secretsOf } from '@app/service-kit/sealed-box';
import { observeOpenMoney } from './advancing/open-money-gauges.ts';
import { startPaymentsLoop } from './advancing/payments-loop.ts';
import { createCardAnswerWriter } from './cards/record-card.ts';
import { type AnswerWriters, createOrderAnswerWriter } from './charging/answer-store.ts';
import { createAttemptWriter } from './charging/attempt-store.ts';
import { createOrderMutex } from './charging/order-mutex.ts';
import type { PaymentDeps } from './charging/payment-deps.ts';
import type { BillingConfig } from './config.ts';
import { startDomainsLoop } from './processor-domains/domains-loop.ts';
import type { EndpointDeps } from './processor-endpoints/compare-endpoint.ts';
import { startEndpointsLoop } from './processor-endpoints/endpoints-loop.ts';
import { reachableBase } from './processor-endpoints/reachable-base.ts';
import { startEventsLoop } from './processor-events/events-loop.ts';
import { handlingOf } from './processor-events/handlings.ts';
import type { ReceivingDeps } from './processor-events/receive-event.ts';
import { createOngoingCalls } from './processors/ongoing-calls.ts';
import { createProcessors, type KnownProcessors, type ProcessorName } from './processors/processor-registry.ts';
import { createProcessorSecrets, type ProcessorSecrets } from './processors/processor-secrets.ts';
import type { StripeSettingsDeps } from './processors/settings/stored-keys.ts';
import { openSimulatedProcessor } from './processors/simulated/simulated-processor.ts';
import { createStripePace } from './processors/stripe/stripe-pace.ts';
import { openStripeProcessor, type StripeProcessor } from './processors/stripe/stripe-processor.ts';
import { watchProcessor } from './processors/watched-processor.ts';
import { createRestoredDatabase } from './reconciliation/restored-database.ts';
import { createRefundAnswerWriter } from './refunds/record-refund.ts';
import { createRenewalAnswerWriter } from './subscriptions/renewals/record-renewals.ts';

type Context = Pick<
  ServiceContext<BillingConfig>,
  'config' | 'database' | 'installation' | 'clock' | 'logger' | 'resources' | 'wakeRelay'
>;

export interface OpenedPayments {
  readonly payments: PaymentDeps;
  readonly secrets: ProcessorSecrets;
  readonly processors: KnownProcessors;
  readonly stripe: StripeSettingsDeps;
  readonly receiving: ReceivingDeps;
  /** Accounts at Stripe. */
  readonly accounts: Pick<StripeProcessor, 'accountState'>;
  readonly endpoints: EndpointDeps;
}

const stripeName: ProcessorName = 'stripe';

export const openAnswerWriters = (database: Database, clock: Clock): AnswerWriters => ({
  order: createOrderAnswerWriter(database),
  refund: createRefundAnswerWriter(database),
  renewal: createRenewalAnswerWriter(database, clock),
  card: createCardAnswerWriter(database, clock),
});

/** Opens the processors and what sends, records and continues payments; `resources` close it in reverse. */
export async function openPayments(context: Context): Promise<OpenedPayments> {
  const { config, database, clock, installation, logger, resources, wakeRelay } = context;
  const { DATABASE_URL: databaseUrl, SIMULATED_SLOW_MS: slowMs } = config;
  const simulated = await openSimulatedProcessor({ databaseUrl, clock, slowMs });
  resources.add('simulated processor', simulated, (opened) => opened.close());
  const isClockMoved = (): boolean => clock instanceof AdjustableClock && clock.offsetMs !== 0;
  const { STRIPE_API_URL: apiUrl, PROCESSOR_DEADLINE_MS: deadlineMs } = config;
  const pace = createStripePace(database, config.STRIPE_REQUESTS_PER_SECOND);
  const stripe = openStripeProcessor(database, { apiUrl, deadlineMs, isClockMoved, pace });
  resources.add('Stripe', stripe, async (opened) => opened.close());
  const secrets = createProcessorSecrets(secretsOf(config.SECRETS_KEY, config.SECRETS_KEY_PREVIOUS));
  const notOffered = config.STRIPE_PROCESSOR === 'enabled' ? [] : [stripeName];
  const processors = createProcessors(
    database,
    secrets,
    [watchProcessor(simulated), watchProcessor(stripe)],
    config.SIMULATED_PROCESSOR,
    notOffered,
  );
  const processorCalls = createOngoingCalls(deadlineMs, installation.isCopy);
  const attemptWriter = resources.add('attempts to pay', createAttemptWriter(database, processors), (opened) =>
    opened.close(),
  );
  const answerWriters = resources.add('payment answers', openAnswerWriters(database, clock), async (opened) => {
    await Promise.all(Object.values(opened).map((writer) => writer.close()));
  });
  const restored = resources.add(
    'lists of processors',
    createRestoredDatabase(() => payments),
    (opened) => opened.close(),
  );
  const payments: PaymentDeps = {
    database,
    clock,
    logger,
    wakeRelay,
    processors,
    processorCalls,
    attemptWriter,
    answerWriters,
    orderMutex: createOrderMutex(),
    restored,
  };
  resources.add('open money gauges', observeOpenMoney(database, clock), (observed) => observed.close());
  resources.add('payments loop', startPaymentsLoop(payments), (loop) => loop.close());
  const events = resources.add('processor events', startEventsLoop({ ...payments, stripe }), (loop) => loop.close());
  const atStripe = { database, clock, logger, secrets, processorCalls, isClockMoved };
  const { endpoints, wakeEndpoints } = openAccountsAtStripe(stripe, atStripe, context);
  // Closed first: the loops would wait for the processor's answer.
  resources.add('processor calls', processorCalls, (made) => made.close());
  const handles: ReceivingDeps['handles'] = (...event) => handlingOf(...event) !== undefined;
  return {
    payments,
    secrets,
    processors,
    stripe: { keyOwner: stripe.keyOwner, isClockMoved, deadlineMs, wakeEndpoints },
    receiving: { database, clock, logger, secrets, handles, wake: events.wake },
    accounts: stripe,
    endpoints,
  };
}

/** Starts what lets Stripe have endpoints and domains for each account. @returns also what wakes it after keys were stored */
function openAccountsAtStripe(
  stripe: StripeProcessor,
  atStripe: Omit<EndpointDeps, 'endpoints' | 'reachableBase'>,
  { config, resources }: Pick<Context, 'config' | 'resources'>,
): { readonly endpoints: EndpointDeps; readonly wakeEndpoints: () => void } {
  const common = { ...atStripe, reachableBase: reachableBase(config.PUBLIC_URL) };
  const endpoints: EndpointDeps = { ...common, endpoints: stripe.endpoints };
  const endpointsLoop = resources.add('processor endpoints', startEndpointsLoop(endpoints), (loop) => loop.close());
  const domainsLoop = startDomainsLoop({ ...common, domains: stripe.domains });
  resources.add('processor domains', domainsLoop, (loop) => loop.close());
  return {
    endpoints,
    wakeEndpoints: () => {
      endpointsLoop.wake();
      domainsLoop.wake();
    },
  };
}
