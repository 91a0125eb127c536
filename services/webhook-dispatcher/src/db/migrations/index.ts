import { waitingLettersMigration } from '@app/messaging/migrations';
import { installationMigration } from '@app/service-kit/installation';
import type { Migrations } from '@app/service-kit/migrations';
import { Initial } from './0001-initial.ts';
import { EmailKeys } from './0003-email-keys.ts';
import { EmailsToRecipients } from './0004-emails-to-recipients.ts';
import { ChargedOrders } from './0005-charged-orders.ts';
import { RenewalReceipts } from './0007-renewal-receipts.ts';
import { SellerDigests } from './0008-seller-digests.ts';
import { PartialRefundNotices } from './0009-partial-refund-notices.ts';
import { IndexOfAddresses } from './0010-index-of-addresses.ts';

export const migrations: Migrations = [
  { name: '0001-initial-0.2.0', class: Initial },
  waitingLettersMigration,
  { name: '0003-email-keys', class: EmailKeys },
  { name: '0004-emails-to-recipients', class: EmailsToRecipients },
  { name: '0005-charged-orders', class: ChargedOrders },
  installationMigration,
  { name: '0007-renewal-receipts', class: RenewalReceipts },
  { name: '0008-seller-digests', class: SellerDigests },
  { name: '0009-partial-refund-notices', class: PartialRefundNotices },
  { name: '0010-index-of-addresses', class: IndexOfAddresses },
];
