/** A colour as the seller's settings have it: `#0b5f4f`. */
type Hex = string;
type Rgb = readonly [number, number, number];

const lightPage: Rgb = [0xf7, 0xf7, 0xf5];
const darkPage: Rgb = [0x18, 0x1b, 0x1e];
const white: Rgb = [255, 255, 255];
const black: Rgb = [0, 0, 0];
/** WCAG 2.2 for what is no text; the settings refuse an accent below it on the light page. */
const leastContrast = 3;
const leastContrastOfDark = 5.5;

/** The stylesheet by which a shop's accent replaces ours on its checkout: the rules of a page allow no inline style. */
export function accentStyles(accent: Hex): string {
  const light = rgbOf(accent);
  const dark = lightenedFor(darkPage, light);
  const rules = (colour: Rgb) => `:root{--accent:${hexOf(colour)};--on-accent:${hexOf(textOn(colour))}}`;
  return `${rules(light)}@media(prefers-color-scheme:dark){${rules(dark)}}`;
}

/** Whether it can be seen on the light page. */
export const isVisibleAccent = (accent: Hex): boolean => contrast(rgbOf(accent), lightPage) >= leastContrast;

const textOn = (colour: Rgb): Rgb => (contrast(colour, white) >= contrast(colour, black) ? white : black);

/** Mixed with white, a twentieth at a time, until it can be read on the dark page. */
function lightenedFor(page: Rgb, colour: Rgb): Rgb {
  const mixed = (share: number): Rgb => {
    const mix = (part: number) => Math.round(part + (255 - part) * share);
    return [mix(colour[0]), mix(colour[1]), mix(colour[2])];
  };
  for (let twentieths = 0; twentieths < 20; twentieths++) {
    const lighter = mixed(twentieths / 20);
    if (contrast(lighter, page) >= leastContrastOfDark) return lighter;
  }
  return white;
}

function rgbOf(hex: Hex): Rgb {
  const bits = Number.parseInt(hex.slice(1), 16);
  return [(bits >> 16) & 255, (bits >> 8) & 255, bits & 255];
}

const hexOf = (colour: Rgb): Hex => `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`;

/** As WCAG 2.2 counts it: 1 to 21. */
function contrast(one: Rgb, other: Rgb): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
