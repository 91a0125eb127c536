import { expect, test } from 'vitest';
import { accentStyles } from './accent.ts';

test('an accent stands as it is in the light, with white or black on it, and lighter in the dark', () => {
  expect(accentStyles('#0b5f4f')).toMatch(
    /^:root\{--accent:#0b5f4f;--on-accent:#ffffff\}@media\(prefers-color-scheme:dark\)\{:root\{--accent:#[0-9a-f]{6};--on-accent:#000000\}\}$/,
  );
  expect(accentStyles('#ffcc00')).toContain('--accent:#ffcc00;--on-accent:#000000');
});
