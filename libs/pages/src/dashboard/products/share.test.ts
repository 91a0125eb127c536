import decodeQR from 'qr/decode.js';
import { expect, test } from 'vitest';
import { buttonSnippet, codeOf } from './share.ts';

const pixels = 4;

/** Draws the squares of the code's last path, which moves from each to the next. */
function drawn(svg: string) {
  const [, size = ''] = /viewBox="0 0 (\d+) /.exec(svg) ?? [];
  const side = Number(size) * pixels;
  const data = new Uint8ClampedArray(side * side * 4).fill(255);
  let [x, y] = [0, 0];
  for (const [, move, first, second] of svg.slice(svg.lastIndexOf('<path')).matchAll(/([Mm])(-?\d+)[ ,]?(-?\d+)/g)) {
    const isRelative = move === 'm';
    x = Number(first) + (isRelative ? x : 0);
    y = Number(second) + (isRelative ? y : 0);
    for (let row = y * pixels; row < (y + 1) * pixels; row++)
      for (let column = x * pixels; column < (x + 1) * pixels; column++)
        data.fill(0, (row * side + column) * 4, (row * side + column) * 4 + 3);
  }
  return { width: side, height: side, data };
}

test.each(['https://pay.example/c/atelier/watercolour', `http://127.0.0.1:8080/c/${'h'.repeat(80)}/${'s'.repeat(80)}`])(
  'the QR code of %s reads back as it',
  (address) => {
    expect(decodeQR(drawn(codeOf(address)))).toBe(address);
  },
);

test('a name cannot break out of the button that a seller copies', () => {
  const snippet = buttonSnippet('https://pay.example/c/a/b', '<b>"A" & B</b>');
  expect(snippet).toMatch(/^<a href="https:\/\/pay\.example\/c\/a\/b" style="[^"]+">[^<]*<\/a>$/);
  expect(snippet).toContain('Buy &lt;b&gt;');
});
