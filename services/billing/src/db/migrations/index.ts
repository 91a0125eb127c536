import { waitingLettersMigration } from '@app/messaging/migrations';
import { installationMigration } from '@app/service-kit/installation';
import type { Migrations } from '@app/service-kit/migrations';
import { Initial } from './0001-initial.ts';
import { Pauses } from './0003-pauses.ts';
import { LostDisputes } from './0004-lost-disputes.ts';
import { Wallets } from './0005-wallets.ts';
import { Reversals } from './0006-reversals.ts';
import { Fees } from './0007-fees.ts';
import { AccountState } from './0008-account-state.ts';
import { WalletDomains } from './0009-wallet-domains.ts';
import { ProcessorVersion } from './0010-processor-version.ts';
import { ReleasedHolds } from './0010-released-holds.ts';
import { ProcessorFacts } from './0011-processor-facts.ts';
import { UnmatchedFacts } from './0012-unmatched-facts.ts';
import { EmailKeys } from './0013-email-keys.ts';
import { RefusedRenewals } from './0014-refused-renewals.ts';
import { StopsOfBothReleases } from './0015-stops-of-both-releases.ts';
import { UnfollowedFacts } from './0016-unfollowed-facts.ts';
import { DeclinedRenewals } from './0017-declined-renewals.ts';
import { IndexesOfAddresses } from './0018-indexes-of-addresses.ts';
import { RefusedCustomers } from './0019-refused-customers.ts';

export const migrations: Migrations = [
  { name: '0001-initial-0.2.0', class: Initial },
  waitingLettersMigration,
  { name: '0003-pauses', class: Pauses },
  { name: '0004-lost-disputes', class: LostDisputes },
  { name: '0005-wallets', class: Wallets },
  { name: '0006-reversals', class: Reversals },
  { name: '0007-fees', class: Fees },
  { name: '0008-account-state', class: AccountState },
  { name: '0009-wallet-domains', class: WalletDomains },
  { name: '0010-processor-version', class: ProcessorVersion },
  { name: '0010-released-holds', class: ReleasedHolds },
  { name: '0011-processor-facts', class: ProcessorFacts },
  { name: '0012-unmatched-facts', class: UnmatchedFacts },
  { name: '0013-email-keys', class: EmailKeys },
  { name: '0014-refused-renewals', class: RefusedRenewals },
  { name: '0015-stops-of-both-releases', class: StopsOfBothReleases },
  { name: '0016-unfollowed-facts', class: UnfollowedFacts },
  installationMigration,
  { name: '0017-declined-renewals', class: DeclinedRenewals },
  { name: '0018-indexes-of-addresses', class: IndexesOfAddresses },
  { name: '0019-refused-customers', class: RefusedCustomers },
];
