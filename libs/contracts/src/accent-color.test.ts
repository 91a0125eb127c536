import { expect, test } from 'vitest';
import { accentColors, isVisibleAccent, nearestAccent } from './accent-color.ts';
import { updateSettingsBody } from './accounts.ts';

test('an accent that fades into the light page is refused, one that stands out is kept', () => {
  // #949494 has 2.82 : 1 on #f7f7f5, #8f8f8f 3.01 : 1.
  expect(['#ffffff', '#ffcc00', '#949494'].map(isVisibleAccent)).toEqual([false, false, false]);
  expect(['#8f8f8f', '#0b5f4f', '#000000'].map(isVisibleAccent)).toEqual([true, true, true]);
});

test('what is written on an accent is black or white, whichever can be read better', () => {
  expect(accentColors('#0b5f4f').light).toEqual({ accent: '#0b5f4f', onAccent: '#ffffff' });
  expect(accentColors('#e06c00').light).toEqual({ accent: '#e06c00', onAccent: '#000000' });
});

test('on dark pages an accent is as light as it has to be', () => {
  expect(accentColors('#000000').dark).toEqual({ accent: '#999999', onAccent: '#000000' });
  expect(accentColors('#5fc9ae').dark.accent).toBe('#5fc9ae');
});

test('settings refuse an accent that no button could have, naming the field', () => {
  const refusal = (accentColor: unknown) =>
    updateSettingsBody.safeParse({ accentColor }).error?.issues.map(({ path, message }) => `${path}: ${message}`);
  expect(refusal('#ffcc00')).toEqual([
    'accentColor: must have a contrast of at least 3 : 1 on the light page (#f7f7f5): choose a darker colour',
  ]);
  expect(refusal('green')).toEqual(['accentColor: must be a colour such as #0b5f4f']);
  expect(updateSettingsBody.parse({ accentColor: '#0B5F4F' })).toEqual({ accentColor: '#0b5f4f' });
  expect(updateSettingsBody.parse({ accentColor: null })).toEqual({ accentColor: null });
});

test.each([
  ['#ffcc00', '#ae8b00'],
  ['#ffffff', '#8f8f8f'],
  ['#0b5f4f', '#0b5f4f'],
])('the nearest accent to %s that a button may have is %s', (wanted, nearest) => {
  expect(nearestAccent(wanted)).toBe(nearest);
  expect(isVisibleAccent(nearest)).toBe(true);
});
