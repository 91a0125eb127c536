import { countryNames } from '@app/contracts/countries';
import { countriesOf } from '../formats.ts';

/** All countries by name, those of the reader's languages before the others. */
export function countriesFor(acceptLanguage: string | undefined): readonly (readonly [code: string, name: string])[] {
  const likely = countriesOf(acceptLanguage);
  return countryNames().toSorted(([one], [other]) => rankIn(likely, one) - rankIn(likely, other));
}

const rankIn = (likely: readonly string[], code: string): number =>
  likely.includes(code) ? likely.indexOf(code) : likely.length;
