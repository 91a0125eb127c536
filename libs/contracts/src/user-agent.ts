/** By what a browser says of itself; those that name another one too come first. */
const browsers: readonly (readonly [mark: RegExp, name: string])[] = [
  [/Edg(?:A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox|FxiOS/, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const systems: readonly (readonly [mark: RegExp, name: string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'ChromeOS'],
  [/Macintosh|Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/**
 * What people call a browser: "Firefox on Linux". Null where the header names neither a browser nor a system that we know. A client that
 * sends the header chooses its text, so nothing of that is in the name.
 */
export function browserName(userAgent: string | null): string | null {
  const of = (names: typeof browsers) => names.find(([mark]) => mark.test(userAgent ?? ''))?.[1];
  const [browser, system] = [of(browsers), of(systems)];
  if (system === undefined) return browser ?? null;
  return `${browser ?? 'a browser'} on ${system}`;
}
