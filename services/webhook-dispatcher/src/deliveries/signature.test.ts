import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { signatureHeader } from './signature.ts';

test('the signature is the one of the Standard Webhooks example', () => {
  const key = createSecretKey(Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64'));
  const header = signatureHeader([key], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, '{"test": 2432232314}');
  expect(header).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('while a secret is rotated, each of its keys signs', () => {
  const keys = ['a', 'b'].map((text) => createSecretKey(Buffer.from(text.repeat(32))));
  expect(signatureHeader(keys, 'evt_1', 1, '{}').split(' ')).toHaveLength(2);
});
