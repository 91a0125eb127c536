import encodeQR from 'qr';
import { type Html, html } from '../html.ts';

/** White around it, which readers need, in modules. */
const border = 4;

/** A QR code in black on white, also on a dark page: readers expect it. @param label says what it is for */
export function qrCode(label: string, text: string): Html {
  const data = encodeQR(text, 'raw', { ecc: 'medium', border });
  const size = data.length;
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${String(size)} ${String(size)}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${String(size)}v${String(size)}H0z"/><path fill="#000" d="${path}"/></svg>`;
}
