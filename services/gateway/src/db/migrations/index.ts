import { movedFromCommands, sentNotificationsMigration } from '@app/messaging/notify-once';
import type { Migrations } from '@app/service-kit/migrations';
import { Initial } from './0001-initial.ts';
import { IdempotencyOwner } from './0002-idempotency-owner.ts';
import { IdempotencyRefusals } from './0003-idempotency-refusals.ts';
import { KeyRotation } from './0004-key-rotation.ts';
import { RateWindows } from './0005-rate-windows.ts';
import { SettingsAsAnEvent } from './0006-settings-as-an-event.ts';
import { AccountHandles } from './0007-account-handles.ts';
import { Letters } from './0008-letters.ts';
import { HeldCapacity } from './0011-held-capacity.ts';
import { SessionOrigins } from './0013-session-origins.ts';
import { LookOfPages } from './0015-look-of-pages.ts';
import { Logos } from './0016-logos.ts';
import { Portal } from './0017-portal.ts';
import { LoginLinks } from './0019-login-links.ts';
import { EmailChange } from './0020-email-change.ts';
import { Notices } from './0021-notices.ts';

export const migrations: Migrations = [
  { name: '0001-initial', class: Initial },
  { name: '0002-idempotency-owner', class: IdempotencyOwner },
  { name: '0003-idempotency-refusals', class: IdempotencyRefusals },
  { name: '0004-key-rotation', class: KeyRotation },
  { name: '0005-rate-windows', class: RateWindows },
  { name: '0006-settings-as-an-event', class: SettingsAsAnEvent },
  { name: '0007-account-handles', class: AccountHandles },
  { name: '0008-letters', class: Letters },
  { name: '0011-held-capacity', class: HeldCapacity },
  { name: '0013-session-origins', class: SessionOrigins },
  sentNotificationsMigration('0014', [
    movedFromCommands('^payments limited (\\S+) (\\S+)$', 'm[1]', `'payments limited ' || m[2]`),
  ]),
  { name: '0015-look-of-pages', class: LookOfPages },
  { name: '0016-logos', class: Logos },
  { name: '0017-portal', class: Portal },
  { name: '0019-login-links', class: LoginLinks },
  { name: '0020-email-change', class: EmailChange },
  { name: '0021-notices', class: Notices },
];
