import { expect, test } from 'vitest';
import { accentStyles, isVisibleAccent } from './accent.ts';

test('an accent stands as it is in the light, with white or black on it, and lighter in the dark', () => {
  expect(accentStyles('#0b5f4f')).toMatch(
    /^:root\{--accent:#0b5f4f;--on-accent:#ffffff\}@media\(prefers-color-scheme:dark\)\{:root\{--accent:#[0-9a-f]{6};--on-accent:#000000\}\}$/,
  );
  expect(accentStyles('#ffcc00')).toContain('--accent:#ffcc00;--on-accent:#000000');
});

test('an accent that cannot be seen on the page is none', () => {
  expect(['#000000', '#0b5f4f', '#d00000'].map(isVisibleAccent)).toEqual([true, true, true]);
  expect(['#ffffff', '#ffcc00', '#dddddd'].map(isVisibleAccent)).toEqual([false, false, false]);
});
