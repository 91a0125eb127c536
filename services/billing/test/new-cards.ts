import * as cards from '../src/cards/put-payment-method.ts';
import type { PaymentDeps } from '../src/charging/payment-deps.ts';
import { createChargeNow } from '../src/daily-run/charge-now.ts';

type Rest<Of extends (deps: never, ...rest: never[]) => unknown> = Of extends (deps: never, ...rest: infer R) => unknown
  ? R
  : never;

/** As the requests of billing do it. */
export const putPaymentMethod = (deps: PaymentDeps, ...rest: Rest<typeof cards.putPaymentMethod>) =>
  cards.putPaymentMethod({ ...deps, charge: createChargeNow(deps) }, ...rest);

export const continuePaymentMethod = (deps: PaymentDeps, ...rest: Rest<typeof cards.continuePaymentMethod>) =>
  cards.continuePaymentMethod({ ...deps, charge: createChargeNow(deps) }, ...rest);
