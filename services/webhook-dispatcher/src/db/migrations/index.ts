import { accountSettingsMigration } from '@app/account-settings/tables';
import { eventTriesMigration, publishedAtMigration } from '@app/messaging/migrations';
import type { Migrations } from '@app/service-kit/migrations';
import { Initial } from './0001-initial.ts';
import { SettlingAndDue } from './0003-settling-and-due.ts';
import { Retention } from './0004-retention.ts';
import { FailingEndpoints } from './0005-failing-endpoints.ts';
import { KeptInPartitions } from './0006-kept-in-partitions.ts';
import { EndpointsExplained } from './0007-endpoints-explained.ts';
import { Recoveries } from './0008-recoveries.ts';
import { Emails } from './0009-emails.ts';
import { Conservation } from './0010-conservation.ts';
import { Reading } from './0012-reading.ts';
import { SelfTests } from './0013-self-tests.ts';
import { SendingIndexedOnce } from './0014-sending-indexed-once.ts';
import { HeldForFailing } from './0015-held-for-failing.ts';
import { RecoveriesBegun } from './0016-recoveries-begun.ts';
import { RepairedLately } from './0017-repaired-lately.ts';
import { EmailsInAnyCase } from './0018-emails-in-any-case.ts';
import { WaitingEndpoints } from './0019-waiting-endpoints.ts';
import { CardLink } from './0020-card-link.ts';

export const migrations: Migrations = [
  { name: '0001-initial', class: Initial },
  publishedAtMigration,
  { name: '0003-settling-and-due', class: SettlingAndDue },
  eventTriesMigration,
  { name: '0004-retention', class: Retention },
  { name: '0005-failing-endpoints', class: FailingEndpoints },
  { name: '0006-kept-in-partitions', class: KeptInPartitions },
  { name: '0007-endpoints-explained', class: EndpointsExplained },
  { name: '0008-recoveries', class: Recoveries },
  accountSettingsMigration('0009'),
  { name: '0009-emails', class: Emails },
  { name: '0010-conservation', class: Conservation },
  { name: '0012-reading', class: Reading },
  { name: '0013-self-tests', class: SelfTests },
  { name: '0014-sending-indexed-once', class: SendingIndexedOnce },
  { name: '0015-held-for-failing', class: HeldForFailing },
  { name: '0016-recoveries-begun', class: RecoveriesBegun },
  { name: '0017-repaired-lately', class: RepairedLately },
  { name: '0018-emails-in-any-case', class: EmailsInAnyCase },
  { name: '0019-waiting-endpoints', class: WaitingEndpoints },
  { name: '0020-card-link', class: CardLink },
];
