import type { DestinationKind } from './destination-kind.types.ts';

/** A URL of the seller, or the endpoint that holds events until the account's first one is connected. */
export const urlKind: DestinationKind = {
  isAutomation: false,
  whileOff: 'held',
  recordsWhatIsDropped: true,
  holdsWhatFailed: true,
  isAsUrgentAsEvent: true,
  isConnectedUrl: ({ url }) => url !== null,
  /**
   * The one that holds events for the account's first URL takes no pushed emails: the push said that they went nowhere, so
   * its seller may have sent them again (decision 0021).
   */
  takesName: ({ url, events }, name) =>
    (url !== null || name !== 'funnel.email.sync') && (events === null || events.includes(name)),
  /** The endpoint without a URL gets one only while the account has no other. */
  getsDelivery: ({ url }, _, hasUrl) => url !== null || !hasUrl,
};
