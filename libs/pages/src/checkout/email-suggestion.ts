/**
 * How the names of large providers are mistyped. Only these are taken for mistakes: a name that is merely close to a known one is a
 * provider of its own more often than not (`mail.ru`, `email.it`, `yahoo.co.jp`).
 */
const misspelled: Readonly<Record<string, string>> = {
  gmail: 'gmial gmal gmai gmil gamil gmali gmaill gmaul gmqil gmsil gnail gmaik gmaol ggmail gmmail hmail',
  hotmail: 'hotmial hotmal hotmai hotmil hotmaill hotmali homtail hotamil htomail hotnail hormail hotmaul hotmeil',
  outlook: 'outlok outloook outllok oulook outlokk outlool outook otlook outlookk putlook outllook',
  yahoo: 'yaho yahooo yhaoo yahho yhoo yaoo yahok yajoo tahoo uahoo yahpo',
  icloud: 'iclud icoud icloude iclod iclould icluod icolud iclous icould',
};

/** How `.com` is mistyped. `.co` and `.cm` are countries, and none of these providers is there. */
const misspelledCom = [
  'con',
  'co',
  'cm',
  'om',
  'cmo',
  'ocm',
  'comm',
  'coom',
  'cim',
  'cpm',
  'vom',
  'xom',
  'c0m',
  'coml',
];

const others: Readonly<Record<string, string>> = {
  'gmx.dee': 'gmx.de',
  'gmx.ed': 'gmx.de',
  'gmx.nett': 'gmx.net',
  'gmx.ney': 'gmx.net',
  'web.dee': 'web.de',
  'web.ed': 'web.de',
  't-onlin.de': 't-online.de',
  't-onine.de': 't-online.de',
  'tonline.de': 't-online.de',
  'orange.ft': 'orange.fr',
  'protonmail.con': 'protonmail.com',
  'protonmal.com': 'protonmail.com',
  'comcast.ney': 'comcast.net',
};

const meantBy = new Map<string, string>(Object.entries(others));
for (const [name, mistakes] of Object.entries(misspelled)) {
  const meant = `${name}.com`;
  for (const mistake of mistakes.split(' ')) meantBy.set(`${mistake}.com`, meant);
  for (const ending of misspelledCom) meantBy.set(`${name}.${ending}`, meant);
}

/** The address that was probably meant, where its domain is a known mistake; null for every other domain. */
export function suggestEmail(email: string): string | null {
  const at = email.lastIndexOf('@');
  const meant = at < 1 ? undefined : meantBy.get(email.slice(at + 1).toLowerCase());
  return meant === undefined ? null : `${email.slice(0, at)}@${meant}`;
}
