import { browserName } from '@app/contracts/user-agent';

/** What redirects money or data, or shows that somebody is about to. */
export type SensitiveChange =
  | 'payment_processor'
  | 'webhook_url'
  | 'automation_url'
  | 'api_key_made'
  | 'api_key_replaced'
  | 'checkout_url'
  | 'support_email'
  | 'passkey_added'
  | 'passkey_removed'
  | 'codes_on'
  | 'codes_off'
  | 'backup_codes_made'
  | 'wrong_codes';

const changes: Readonly<Record<SensitiveChange, string>> = {
  payment_processor: 'the payment processor or its keys were changed',
  webhook_url: 'a webhook URL was added or changed',
  automation_url: 'an automation was given a URL',
  api_key_made: 'an API key was made',
  api_key_replaced: 'an API key was replaced by another one',
  checkout_url: 'another checkout page was given, which reminders lead buyers to',
  support_email: 'another address for support was given',
  passkey_added: 'a passkey was added to your log-in',
  passkey_removed: 'a passkey was removed from your log-in',
  codes_on: 'one-time codes were switched on for your log-in',
  codes_off: 'one-time codes were switched off for your log-in',
  backup_codes_made: 'new backup codes were made for your log-in',
  wrong_codes: 'somebody gave your right password and then three wrong codes, so that they did not get in',
};

/** Who made a change. */
export interface ChangedFrom {
  /** Of the key that made it; null for a session. */
  readonly key: { readonly prefix: string; readonly lastFour: string } | null;
  readonly userAgent: string | undefined;
  /** As `clientOfAddress` gives it; empty in calls of MCP tools. */
  readonly address: string;
}

/** What a letter says of a change, in our words alone: an address that is not verified may be a stranger's. */
export function changeText(change: SensitiveChange, { key, userAgent, address }: ChangedFrom): string {
  const who =
    key === null
      ? `from ${browserName(userAgent ?? null) ?? 'a program'}`
      : `by the API key ${key.prefix}...${key.lastFour}`;
  return `${changes[change]}, ${who}${address === '' ? '' : `, network address ${address}`}`;
}
