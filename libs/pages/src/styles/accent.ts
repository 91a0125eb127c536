import { type AccentColors, accentColors } from '@app/contracts/accent-color';

/**
 * The stylesheet by which a shop's accent replaces ours on its checkout: the rules of a page allow no inline style.
 * @param accent as the seller's settings have it: `#0b5f4f`
 */
export function accentStyles(accent: string): string {
  const { light, dark } = accentColors(accent);
  return `${rules(light)}@media(prefers-color-scheme:dark){${rules(dark)}}`;
}

const rules = ({ accent, onAccent }: AccentColors): string => `:root{--accent:${accent};--on-accent:${onAccent}}`;
