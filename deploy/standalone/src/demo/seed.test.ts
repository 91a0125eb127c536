import { idTimeMs } from '@app/contracts/ids';
import { expect, test } from 'vitest';
import { commandIdAt } from './seed.ts';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** The 128 bits of an id, as 32 hexadecimal digits. */
function uuidOf(suffix: string): string {
  let bits = 0n;
  for (const character of suffix) bits = bits * 32n + BigInt(alphabet.indexOf(character));
  return bits.toString(16).padStart(32, '0');
}

test('the ids of the demo shop are UUIDv7 of their time, and the same each time they are made', () => {
  const startedAt = Date.UTC(2026, 10, 21);
  for (let n = 0; n < 300; n++) {
    const id = commandIdAt(startedAt + n, `${startedAt}/orders/${n}`);
    expect(id).toMatch(/^[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    expect(uuidOf(id)).toMatch(/^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
    expect(idTimeMs(id)).toBe(startedAt + n);
    expect(commandIdAt(startedAt + n, `${startedAt}/orders/${n}`)).toBe(id);
  }
});
