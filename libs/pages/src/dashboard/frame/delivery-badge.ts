import type { DeliveryStatus } from '@app/contracts/webhook-deliveries';
import { badge } from '../../components/notice.ts';
import type { Html } from '../../html.ts';

const badges = {
  pending: ['info', 'Waits'],
  sending: ['info', 'Being sent'],
  delivered: ['good', 'Delivered'],
  held: ['warn', 'Held'],
  failed: ['bad', 'Failed'],
  canceled: ['none', 'Canceled'],
  filtered: ['none', 'Filtered'],
} as const;

/** States in which a list may be narrowed to deliveries, with their words. */
export const deliveryChoices = (statuses: readonly DeliveryStatus[]): (readonly [DeliveryStatus, string])[] =>
  statuses.map((status) => [status, badges[status][1]]);

/** What has become of a delivery, in a word. */
export const deliveryBadge = ({ status }: { readonly status: DeliveryStatus }): Html =>
  badge(badges[status][0], badges[status][1]);
