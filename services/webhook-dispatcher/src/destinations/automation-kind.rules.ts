import { canReceiveEmail } from '@app/contracts/common';
import type { DestinationKind, Filter } from './destination-kind.types.ts';

const takesName = ({ events }: Filter, name: string): boolean => events === null || events.includes(name);

/** It runs only for what triggers it, and sends nothing of the time before it is on again. */
export const automationKind: DestinationKind = {
  isAutomation: true,
  whileOff: 'canceled',
  recordsWhatIsDropped: false,
  holdsWhatFailed: false,
  isAsUrgentAsEvent: false,
  isConnectedUrl: () => false,
  takesName,
  /** One that sends emails only if the buyer's address can receive any. */
  getsDelivery: (automation, { name, productId, email, isNotFor }) =>
    takesName(automation, name) &&
    (automation.built_in === null || automation.built_in !== isNotFor) &&
    (automation.product_id === null || automation.product_id === productId) &&
    (automation.channel !== 'email' || email === null || canReceiveEmail(email)),
};
