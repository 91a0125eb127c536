import { expect, test } from 'vitest';
import { formatsFor } from '../../formats.ts';
import { readDiscount, storedDiscount } from './discount-form.ts';

const formats = formatsFor('en-US');
const read = (typed: Record<string, string>) =>
  readDiscount(new URLSearchParams(typed), { currency: 'eur', formats, stored: null });
const stored = {
  ...{ id: 'dsc_01jd2q5v8kfw9s3x6z7yabcdef', code: 'SPRING', percent_off: null, amount_off_cents: 2_000 },
  ...{ expires_at: '2026-01-31T23:59:59.999Z', max_uses: null, uses: 3 },
  ...{ created_at: '2026-01-01T00:00:00.000Z', version: 1 },
};

test('a bare 15 is 15 % or 15 euros as its unit says', () => {
  expect(read({ off: '15', unit: 'percent' })).toMatchObject({ faults: [], fields: { percentOff: 15 } });
  expect(read({ off: '15 %', unit: 'percent' })).toMatchObject({ faults: [], fields: { percentOff: 15 } });
  expect(read({ off: '15', unit: 'amount' })).toMatchObject({ faults: [], fields: { amountOffCents: 1_500 } });
});

test('a value that contradicts its unit is refused, and a unit that is missing too', () => {
  expect(read({ off: '15 %', unit: 'amount' })).toMatchObject({
    faults: [{ field: 'percentOff', message: expect.stringContaining('Choose “% off”') }],
  });
  for (const off of ['€15', '15.5', '0', '101'])
    expect(read({ off, unit: 'percent' }), off).toMatchObject({ faults: [{ field: 'percentOff' }] });
  expect(read({ off: '15' })).toMatchObject({ faults: [{ field: 'percentOff' }] });
});

test('all that cannot be read is told at once', () => {
  const { faults } = read({ off: '', unit: 'percent', expiresAt: '2026-02-31', maxUses: 'many' });
  expect(faults.map(({ field }) => field)).toEqual(['percentOff', 'expiresAt', 'maxUses']);
});

test('what is stored is what the form shows, and sent as it was it changes nothing that has passed', () => {
  const shown = storedDiscount(stored, 'eur', formats);
  expect(shown).toEqual({ off: '20', unit: 'amount', expiresAt: '2026-01-31', maxUses: '' });
  const again = readDiscount(new URLSearchParams(shown), { currency: 'eur', formats, stored });
  expect(again).toEqual({ fields: { amountOffCents: 2_000, maxUses: null }, faults: [] });
  const longer = new URLSearchParams({ ...shown, expiresAt: '2026-12-31' });
  expect(readDiscount(longer, { currency: 'eur', formats, stored })).toMatchObject({
    fields: { expiresAt: '2026-12-31T23:59:59.999Z' },
  });
});
