/**
 * Money of countries that is in use: what the Unicode CLDR gives as legal tender without an end before November 2026
 * (`supplemental/currencyData.json` of the npm package `cldr-core` 48.2.0). List one of ISO 4217 has these too (that of June 2024, in
 * `currency-codes` 2.2.0, but for XCG, which came later) and beside them metals, funds, units of account, codes for tests, VED, which is
 * Venezuela's bolívar under a second code, and what nobody pays in any more: ANG, BGN, CUC, SVC. ICU tells no end of a currency: of the
 * codes that `Intl.supportedValuesOf` lists, half have ended (DEM, HRK).
 */
const legalTender = `
  aed afn all amd aoa ars aud awg azn bam bbd bdt bhd bif bmd bnd bob brl bsd btn bwp byn bzd cad cdf chf clp cny cop crc cup cve czk djf
  dkk dop dzd egp ern etb eur fjd fkp gbp gel ghs gip gmd gnf gtq gyd hkd hnl htg huf idr ils inr iqd irr isk jmd jod jpy kes kgs khr kmf
  kpw krw kwd kyd kzt lak lbp lkr lrd lsl lyd mad mdl mga mkd mmk mnt mop mru mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd omr pab pen
  pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sdg sek sgd shp sle sos srd ssp stn syp szl thb tjs tmt tnd top try ttd twd tzs
  uah ugx usd uyu uzs ves vnd vuv wst xaf xcd xcg xof xpf yer zar zmw zwg`;

/** What products may be priced in. What is priced already goes on, whatever becomes of its currency. */
export const currenciesInUse: ReadonlySet<string> = new Set(legalTender.trim().split(/\s+/));
