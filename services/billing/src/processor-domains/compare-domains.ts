import { readSettingsOf } from '@app/account-settings/read-settings';
import { dayMs } from '@app/contracts/durations';
import { newIdSuffix } from '@app/contracts/ids';
import { domainsCompared } from '../points/points.ts';
import { type EndpointDeps, withKey } from '../processor-endpoints/compare-endpoint.ts';
import { NothingDoneError, type ProcessorCall } from '../processors/port.ts';
import type { StripeDomains } from '../processors/stripe/stripe-domains.ts';
import { StripeAnswerError } from '../processors/stripe/stripe-errors.ts';
import {
  type Compared,
  claimDomains,
  type DomainsRow,
  storeCompared,
  storeFailed,
  type Wallets,
} from './domain-rows.ts';
import { domainsOf } from './wanted-domains.ts';

export type DomainDeps = Omit<EndpointDeps, 'endpoints'> & { readonly domains: StripeDomains };
type ShownDomain = Wallets['domains'][number];

/** Compares the domains that are due with what Stripe has. @returns how many rows. @throws Error when the database does not answer */
export async function compareDomainsDue(deps: DomainDeps): Promise<number> {
  const rows = await claimDomains(deps.database, deps.clock.now());
  await Promise.all(rows.map((row) => compareOne(deps, row)));
  return rows.length;
}

async function compareOne(deps: DomainDeps, row: DomainsRow): Promise<void> {
  const { database, clock, logger, reachableBase: base } = deps;
  const { account_id: accountId, test } = row;
  const { checkoutUrl } = await readSettingsOf(database.pool, accountId);
  const about = { base, checkoutUrl };
  try {
    await storeCompared(database, row, { ...about, ...(await compare(deps, row, domainsOf(base, checkoutUrl))) });
  } catch (err) {
    const fields = { err, accountId, test, atStripe: row.at_processor };
    if (err instanceof NothingDoneError && (err.why === 'key_refused' || err.why === 'not_permitted')) {
      logger.warn(fields, 'Stripe does not let this key register domains for wallets');
      await storeCompared(database, row, { ...about, status: 'not_permitted', domains: [], again: null });
    } else {
      logger.warn(fields, 'domains for wallets could not be compared with Stripe; retrying');
      await storeFailed(database, row, clock.now());
    }
  }
  domainsCompared.announce(() => ({ accountId, test }));
}

/** What a wallet lacked may be there a day later, and a seller may remove a domain at Stripe. */
const compareAgainMs = dayMs;

/**
 * Lets Stripe have the domains. The arrows, and what a process leaves that dies after one:
 * claimed → the row is due again when its lease has run out, and nothing else has happened;
 * found → the same; made or validated → it is found by its name, and no second one is made;
 * stored → the row is not due before tomorrow.
 */
async function compare(
  deps: DomainDeps,
  row: DomainsRow,
  names: readonly string[],
): Promise<Omit<Compared, 'base' | 'checkoutUrl'>> {
  if (names.length === 0) return { status: 'no_public_url', domains: [], again: null };
  const domains: ShownDomain[] = [];
  await withKey(deps, row, async (call) => {
    for (const name of names) domains.push(await registered(deps, call, name));
  });
  return { status: 'registered', domains, again: new Date(deps.clock.nowMs() + compareAgainMs) };
}

const offByHand = 'It is switched off in the Dashboard of Stripe.';

/** One domain as it stands at Stripe then; one that Stripe refuses keeps no other back. */
async function registered({ domains }: DomainDeps, call: ProcessorCall, name: string): Promise<ShownDomain> {
  try {
    const known = await domains.find(call, name);
    const found = known ?? (await domains.create(call, `domain ${newIdSuffix(Date.now())}`, name));
    // What a seller has switched off stays off.
    if (!found.isEnabled) return { domain: name, ...off, detail: offByHand };
    const isWhole = found.applePay === 'active' && found.googlePay === 'active';
    const { applePay, googlePay, detail } = isWhole ? found : await domains.validate(call, found.id);
    return { domain: name, apple_pay: applePay, google_pay: googlePay, detail };
  } catch (err) {
    if (!(err instanceof StripeAnswerError) || err.status !== 400) throw err;
    return { domain: name, ...off, detail: err.decline.message ?? err.message };
  }
}

const off = { apple_pay: 'inactive', google_pay: 'inactive' } as const;
