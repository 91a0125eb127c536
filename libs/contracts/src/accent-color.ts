type Rgb = readonly [number, number, number];

const [white, black]: [Rgb, Rgb] = [
  [255, 255, 255],
  [0, 0, 0],
];
/** The pages' own colours, `#f7f7f5` and the lighter ground of the dark ones, `#181b1e`. */
const [lightPage, darkPage]: [Rgb, Rgb] = [
  [0xf7, 0xf7, 0xf5],
  [0x18, 0x1b, 0x1e],
];
/** WCAG 2.2, 1.4.11: for buttons and borders, which are no text. */
const leastContrast = 3;
/** More than the 4.5 that WCAG 2.2 wants of text: links of the dark pages have the accent. */
const leastContrastOfDark = 5.5;
const steps = 20;
/** Steps from a colour to black: one for each value that a part of it has. */
const shades = 255;

/** As settings have it: `#0b5f4f`. */
export const accentForm = /^#[0-9a-f]{6}$/i;

/** A colour and what is written on it. */
export interface AccentColors {
  readonly accent: string;
  readonly onAccent: string;
}

/**
 * A seller's accent on pages in light and in dark. Black or white stands on it, whichever can be read better. For dark pages it
 * is mixed with white until its contrast is 5.5.
 * @param accent of the form `#0b5f4f`
 */
export function accentColors(accent: string): { readonly light: AccentColors; readonly dark: AccentColors } {
  const light = rgbOf(accent);
  return { light: withText(light), dark: withText(lightened(light)) };
}

/** Whether buttons in this colour stand out on a light page. */
export const isVisibleAccent = (accent: string): boolean => contrast(rgbOf(accent), lightPage) >= leastContrast;

/** The colour itself, or the lightest shade of it that stands out on a light page. @param accent of the form `#0b5f4f` */
export function nearestAccent(accent: string): string {
  const colour = rgbOf(accent);
  for (let step = shades; step > 0; step--) {
    const shade = hexOf(colour.map((part) => Math.round((part * step) / shades)) as unknown as Rgb);
    if (isVisibleAccent(shade)) return shade;
  }
  return hexOf(black);
}

function withText(colour: Rgb): AccentColors {
  const text = contrast(colour, white) >= contrast(colour, black) ? white : black;
  return { accent: hexOf(colour), onAccent: hexOf(text) };
}

function lightened(colour: Rgb): Rgb {
  for (let step = 0; step < steps; step++) {
    const lighter = mixedWithWhite(colour, step / steps);
    if (contrast(lighter, darkPage) >= leastContrastOfDark) return lighter;
  }
  return white;
}

function mixedWithWhite([red, green, blue]: Rgb, share: number): Rgb {
  const mix = (part: number): number => Math.round(part + (255 - part) * share);
  return [mix(red), mix(green), mix(blue)];
}

function rgbOf(hex: string): Rgb {
  const bits = Number.parseInt(hex.slice(1), 16);
  return [(bits >> 16) & 255, (bits >> 8) & 255, bits & 255];
}

const hexOf = (colour: Rgb): string => `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`;

/** WCAG 2.2's contrast ratio: 1 to 21. */
function contrast(one: Rgb, other: Rgb): number {
  const [darker, lighter] = [luminance(one), luminance(other)].toSorted((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** WCAG 2.2's relative luminance: 0 to 1. */
function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
