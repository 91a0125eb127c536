/** Stripe's own test methods: its documentation says what they do, and the stand-in does the same. */
export const testMethods = {
  works: 'pm_card_visa',
  declinedSoft: 'pm_card_chargeDeclined',
  declinedHard: 'pm_card_chargeDeclinedLostCard',
  savedDeclined: 'pm_card_chargeCustomerFail',
  confirmed: 'pm_card_authenticationRequiredOnSetup',
  refundFails: 'pm_card_refundFail',
  disputed: 'pm_card_createDispute',
} as const;
