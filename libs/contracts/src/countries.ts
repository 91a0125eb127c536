import { z } from 'zod';

/** The 249 officially assigned codes of ISO 3166-1 alpha-2. CLDR also names reserved, former and private ones. */
const codes = `
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC
  CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD
  GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH
  KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW
  MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC
  SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY
  UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`;

const assigned = new Set(codes.trim().split(/\s+/));
let named: ReadonlyMap<string, string> | undefined;

/** By name. Made when a name is first requested: it takes longer to make than the rest of this file together. */
function namesByCode(): ReadonlyMap<string, string> {
  if (named !== undefined) return named;
  const cldr = new Intl.DisplayNames('en', { type: 'region' });
  const names = [...assigned].map((code) => [code, cldr.of(code) ?? code] as const);
  named = new Map(names.toSorted(([, one], [, other]) => one.localeCompare(other, 'en')));
  return named;
}

/** English name of an assigned ISO 3166-1 alpha-2 code; `undefined` for any other text. */
export const countryName = (code: string): string | undefined => namesByCode().get(code);

/** All assigned codes with their English names, by name. */
export const countryNames = (): (readonly [code: string, name: string])[] => [...namesByCode()];

const message = 'must be a two-letter ISO 3166 country code';

export const countryCode = z
  .string()
  .regex(/^[A-Za-z]{2}$/, message)
  .overwrite((code) => code.toUpperCase())
  .refine((code) => assigned.has(code), message);
