import { expect, test } from 'vitest';
import { type Asked, type KnownOfAccount, stateOfAccount } from './examined-account.rules.ts';

const url = 'https://shop.example/api/processors/stripe/acc_1';
const enabled: Asked = { listed: [{ url, isEnabled: true }] };
const notPermitted: Asked = { failure: 'not_permitted' };
const at = (time: string): Date => new Date(`2026-03-15T${time}Z`);
const known: KnownOfAccount = { url, isByHand: false, lastEventAt: at('11:00:05'), lastChargeAt: at('11:00:00') };

test.each<[string, string, Asked, Partial<KnownOfAccount>]>([
  ['fine', 'an endpoint that is there and on', enabled, {}],
  ['fine', 'no charge since its key was stored', enabled, { lastEventAt: null, lastChargeAt: null }],
  ['fine', 'an event that was noted some seconds before its charge', enabled, { lastEventAt: at('10:59:30') }],
  ['no_events', 'no event since a charge', enabled, { lastEventAt: at('10:58:59') }],
  ['no_events', 'no event ever, and a charge', enabled, { lastEventAt: null }],
  ['no_endpoint', 'none at all', { listed: [] }, {}],
  ['no_endpoint', 'one of another deployment', { listed: [{ url: 'https://old.example', isEnabled: true }] }, {}],
  ['endpoint_disabled', 'one that Stripe switched off', { listed: [{ url, isEnabled: false }] }, {}],
  ['fine', 'one that is off beside one that is on', { listed: [{ url, isEnabled: false }, ...enabled.listed] }, {}],
  ['no_public_url', 'no address that Stripe reaches', { listed: [] }, { url: null }],
  ['key_refused', 'a refused key, whatever else', { failure: 'key_refused' }, { url: null }],
  ['key_unreadable', 'a key that cannot be opened', { failure: 'key_unreadable' }, {}],
  ['no_answer', 'no answer', { failure: 'no_answer' }, {}],
  ['not_permitted', 'a key that may not show endpoints', notPermitted, {}],
  ['fine', 'the same, of a seller whose own endpoint sends', notPermitted, { isByHand: true }],
  ['no_events', 'the same, of one that sends nothing', notPermitted, { isByHand: true, lastEventAt: null }],
])('%s: %s', (state, _, asked, more) => {
  expect(stateOfAccount(asked, { ...known, ...more })).toBe(state);
});
