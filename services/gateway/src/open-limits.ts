import type { ServiceContext } from '@app/service-host/define-service';
import type { App } from './api/app.ts';
import { createEventLimit } from './api/processor-event-limit.ts';
import { createWriteLimit } from './api/write-limit.ts';
import type { GatewayConfig } from './config.ts';
import { AccountQuota } from './limits/account-quota.ts';
import { createAttemptCapacity } from './limits/attempt-capacity.ts';
import { createCodeLimit, unlimitedCodes } from './limits/code-limit.ts';
import { createDeclineLimit, noDeclineLimit } from './limits/decline-limit.ts';
import { createDiscountLimit, unlimitedDiscounts } from './limits/discount-limit.ts';
import { createLoginLimit, unlimitedLogin } from './limits/login-limit.ts';
import type { RateWindows } from './limits/rate-windows.ts';
import { ReadLimiter, readLimits } from './limits/read-limiter.ts';
import { createRefusals } from './limits/refusals.ts';
import { createSignUpLimit, unlimitedSignUps } from './limits/sign-up-limit.ts';
import { createStoredAnswers } from './limits/stored-answers.ts';
import { WindowLimiter } from './limits/window-limiter.ts';

/** For callers without a valid key, each address. */
const addressLimitPerMinute = 60;
/** For buyers, each address: a purchase takes some ten requests, and an office shares one address. */
const buyersLimitPerMinute = 600;

/** Events of its payment processor, for each account: beyond that the processor sends them again later. */
const eventsLimitPerMinute = 3_000;
/** Events that were refused, for each address. */
const refusedEventsLimitPerMinute = 120;

type Limits = Pick<
  App,
  | 'accountQuota'
  | 'addressLimiter'
  | 'buyersLimiter'
  | 'eventsOfAccount'
  | 'refusedEvents'
  | 'limitEvents'
  | 'limitLogin'
  | 'limitCodes'
  | 'limitSignUps'
  | 'declineLimit'
  | 'discountLimit'
  | 'readLimiter'
  | 'limitWrites'
  | 'storedAnswers'
>;

/** Opens how much a caller, an address or an account may do; `resources` close it in reverse. */
export function openLimits(
  context: ServiceContext<GatewayConfig>,
  windows: RateWindows,
  quotaWithinMs?: number,
): Limits {
  const { config, logger, resources } = context;
  const open = (name: string, of: ConstructorParameters<typeof WindowLimiter>[0]): WindowLimiter =>
    resources.add(`${name} limiter`, new WindowLimiter(of, windows, logger), (created) => created.close());
  const perMinute = config.RATE_LIMIT_PER_MINUTE;
  return {
    addressLimiter: open('address', { limit: addressLimitPerMinute }),
    buyersLimiter: open('buyers', { policy: 'buyers', limit: buyersLimitPerMinute }),
    eventsOfAccount: open('events', { policy: 'events', limit: eventsLimitPerMinute }),
    refusedEvents: open('refused events', { policy: 'refused-events', limit: refusedEventsLimitPerMinute }),
    limitEvents: createEventLimit(),
    accountQuota: perMinute === 0 ? null : new AccountQuota(perMinute, windows, logger, quotaWithinMs),
    limitLogin: perMinute === 0 ? unlimitedLogin : createLoginLimit(windows),
    limitCodes: perMinute === 0 ? unlimitedCodes : createCodeLimit(windows),
    ...(perMinute === 0 ? noAttemptLimits : openAttemptLimits(context, windows)),
    limitSignUps:
      perMinute === 0 || config.SIGNUPS_PER_HOUR === 0
        ? unlimitedSignUps
        : createSignUpLimit(windows, config.SIGNUPS_PER_HOUR),
    readLimiter: new ReadLimiter(readLimits),
    limitWrites: createWriteLimit(),
    storedAnswers: resources.add(
      'stored answers',
      createStoredAnswers(windows, logger, config.IDEMPOTENCY_MB_PER_DAY * 1_024),
      (created) => created.close(),
    ),
  };
}

const noAttemptLimits = { declineLimit: noDeclineLimit, discountLimit: unlimitedDiscounts };

function openAttemptLimits(
  context: ServiceContext<GatewayConfig>,
  windows: RateWindows,
): Pick<Limits, 'declineLimit' | 'discountLimit'> {
  const { config, database, clock, logger, wakeRelay, resources } = context;
  const capacity = resources.add('attempt capacity', createAttemptCapacity(database), (created) => created.close());
  const refusals = createRefusals({ windows, database, clock, wakeRelay, pepper: config.KEY_PEPPER });
  return {
    declineLimit: createDeclineLimit({ windows, capacity, refusals, logger }),
    discountLimit: createDiscountLimit({ windows, capacity, logger }),
  };
}
