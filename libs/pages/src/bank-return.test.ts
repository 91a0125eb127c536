import { expect, test } from 'vitest';
import { withoutSecretsOfBank } from './bank-return.ts';

test.each([
  ['/c/ada/course?back=1&payment_intent=pi_1&payment_intent_client_secret=pi_1_secret_2', '/c/ada/course?back=1'],
  [
    '/p/ada/subscriptions/sub_1/card?setup_intent=seti_1&setup_intent_client_secret=s&redirect_status=succeeded',
    '/p/ada/subscriptions/sub_1/card',
  ],
  ['/c/ada/course?payment_intent_client_secret=', '/c/ada/course'],
  ['/c/ada/course?ref=mia&discount=SPRING', null],
  ['/c/ada/course', null],
])('%s becomes %s', (url, clean) => {
  expect(withoutSecretsOfBank(url)).toBe(clean);
});
