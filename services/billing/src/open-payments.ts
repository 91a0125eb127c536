import type { ServiceContext } from '@app/service-host/define-service';
import { startPaymentsLoop } from './advancing/payments-loop.ts';
import { createCardAnswers } from './cards/record-card.ts';
import type { BillingConfig } from './config.ts';
import { createOngoingCalls } from './payments/ongoing-calls.ts';
import { createOrderMutex } from './payments/order-mutex.ts';
import type { PaymentDeps } from './payments/payment-deps.ts';
import { createAnswers } from './payments/write-answer.ts';
import { createTries } from './payments/write-try.ts';
import { createProcessors, type KnownProcessors } from './processors/processor-registry.ts';
import { createProcessorSecrets, type ProcessorSecrets } from './processors/processor-secrets.ts';
import { openSimulatedProcessor } from './processors/simulated-processor.ts';
import { createRenewalAnswers } from './renewals/record-renewals.ts';

type Context = Pick<
  ServiceContext<BillingConfig>,
  'config' | 'database' | 'clock' | 'logger' | 'resources' | 'wakeRelay'
>;

export interface OpenedPayments {
  readonly payments: PaymentDeps;
  readonly secrets: ProcessorSecrets;
  readonly processors: KnownProcessors;
}

/** Opens the processors and what tries, records and continues payments; `resources` close it in reverse. */
export async function openPayments(context: Context): Promise<OpenedPayments> {
  const { config, database, clock, logger, resources, wakeRelay } = context;
  const { DATABASE_URL: databaseUrl, SIMULATED_SLOW_MS: slowMs } = config;
  const simulated = await openSimulatedProcessor({ databaseUrl, clock, slowMs });
  resources.add('simulated processor', simulated, (opened) => opened.close());
  const secrets = createProcessorSecrets(config.SECRETS_KEY);
  const processors = createProcessors(database, secrets, [simulated], config.SIMULATED_PROCESSOR);
  const processorCalls = createOngoingCalls(config.PROCESSOR_DEADLINE_MS);
  const tries = resources.add('tries to pay', createTries(database), (opened) => opened.close());
  const answers = resources.add(
    'payment answers',
    createAnswers(database, {
      renewal: createRenewalAnswers(database, clock),
      card: createCardAnswers(database, clock),
    }),
    (opened) => opened.close(),
  );
  const payments: PaymentDeps = {
    database,
    clock,
    logger,
    wakeRelay,
    processors,
    processorCalls,
    tries,
    answers,
    orderMutex: createOrderMutex(),
  };
  resources.add('payments loop', startPaymentsLoop(payments), (loop) => loop.close());
  // Closed first: the loop would wait for the processor's answer.
  resources.add('processor calls', processorCalls, (made) => made.close());
  return { payments, secrets, processors };
}
