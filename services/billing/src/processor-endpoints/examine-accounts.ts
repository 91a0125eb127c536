import { hourMs } from '@app/contracts/durations';
import type { AccountAtStripe, StripeExamination } from '@app/contracts/payment-processors';
import { statement } from '@app/service-kit/database';
import { createSemaphore } from '@app/service-kit/semaphore';
import { NothingDoneError } from '../processors/port.ts';
import { keyPurpose } from '../processors/processor-secrets.ts';
import { addressPrefix, type EndpointDeps } from './compare-endpoint.ts';
import { type Asked, stateOfAccount } from './examined-account.rules.ts';

interface ExaminedRow {
  readonly account_id: string;
  /** Null where no key for live payments is stored, as the next one. */
  readonly at_processor: string | null;
  readonly secret_key: Buffer | null;
  readonly by_hand: boolean | null;
  readonly last_event_at: Date | null;
  readonly last_charge_at: Date | null;
}

/** By then the event of a charge has come. */
const eventWithinMs = hourMs;
/** Those without an event, or with the oldest, come first: they are what an operator looks for. */
const examinedStatement = statement<ExaminedRow>(
  'processor-endpoints-examined',
  `select s.account_id, k.at_processor, k.secret_key, w.status = 'by_hand' as by_hand, w.last_event_at,
     (select c.charged_at from charges as c
      where c.account_id = s.account_id and not c.test and c.charged_at < $1 and c.charged_at > k.stored_at and c.processor = s.processor
      order by c.charged_at desc limit 1) as last_charge_at
   from processor_settings as s
   left join processor_keys as k on k.account_id = s.account_id and k.processor = s.processor and not k.test and k.current
   left join processor_webhooks as w on w.account_id = k.account_id and w.processor = k.processor and not w.test
     and w.at_processor = k.at_processor
   where s.processor = 'stripe' and s.chosen
   order by w.last_event_at nulls first, s.account_id`,
  {
    account_id: 'text',
    at_processor: 'text',
    by_hand: 'bool',
    last_charge_at: 'timestamptz',
    last_event_at: 'timestamptz',
    secret_key: 'bytea',
  },
);

/** Each is a request of another account's own rate. */
const atOnce = 8;
/** No account is asked about later, and no answer is waited for longer; the operator waits for both, in milliseconds. */
const askWithinMs = 10_000;
const answerWithinMs = 5_000;
const examplesMax = 3;

/** Asks Stripe how each account stands that sells through it. Changes nothing. */
export async function examineAccounts(deps: EndpointDeps): Promise<StripeExamination> {
  const { database, clock } = deps;
  const chargedBefore = new Date(clock.nowMs() - eventWithinMs);
  const { rows } = await database.pool.query(examinedStatement([chargedBefore]));
  const deadlineMs = Date.now() + askWithinMs;
  const semaphore = createSemaphore(atOnce);
  const found = await Promise.all(
    rows.map(async (row) => {
      const state = await semaphore.runBefore(deadlineMs, () => examine(deps, row));
      return { accountId: row.account_id, state: state ?? 'not_asked' };
    }),
  );
  const byState = Map.groupBy(found, ({ state }) => state);
  const last = Math.max(...rows.map(({ last_event_at }) => last_event_at?.getTime() ?? 0));
  return {
    states: [...byState].map(([state, accounts]) => ({
      state,
      accounts: accounts.length,
      examples: accounts.slice(0, examplesMax).map(({ accountId }) => accountId),
    })),
    last_event_at: last > 0 ? new Date(last).toISOString() : null,
  };
}

async function examine(deps: EndpointDeps, row: ExaminedRow): Promise<AccountAtStripe> {
  const { account_id: accountId, at_processor: atProcessor, secret_key: sealed } = row;
  if (atProcessor === null || sealed === null) return 'no_live_key';
  // A copy calls nobody, and with a moved clock live keys are not used.
  if (deps.processorCalls.isHeld() || deps.isClockMoved()) return 'not_asked';
  const asked = await ask(deps, { accountId, atProcessor, sealed });
  return stateOfAccount(asked, {
    url: deps.reachableBase === null ? null : addressPrefix(deps.reachableBase) + accountId,
    isByHand: row.by_hand === true,
    lastEventAt: row.last_event_at,
    lastChargeAt: row.last_charge_at,
  });
}

async function ask(
  { secrets, processorCalls, endpoints, logger }: EndpointDeps,
  {
    accountId,
    atProcessor,
    sealed,
  }: { readonly accountId: string; readonly atProcessor: string; readonly sealed: Buffer },
): Promise<Asked> {
  const test = false;
  let secretKey: string;
  try {
    secretKey = secrets.open(sealed, accountId, keyPurpose('stripe', test, atProcessor));
  } catch {
    return { failure: 'key_unreadable' };
  }
  try {
    const listed = await processorCalls.make(
      (signal) => endpoints.list({ accountId, secretKey, test, signal, isBackground: true }),
      { limitMs: answerWithinMs },
    );
    return { listed };
  } catch (err) {
    logger.warn({ err, accountId }, 'Stripe did not say how an account stands');
    const why = err instanceof NothingDoneError ? err.why : undefined;
    return { failure: why === 'key_refused' || why === 'not_permitted' ? why : 'no_answer' };
  }
}
