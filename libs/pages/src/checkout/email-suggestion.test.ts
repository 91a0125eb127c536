import { expect, test } from 'vitest';
import { suggestEmail } from './email-suggestion.ts';

test.each([
  ['ada@gmial.com', 'ada@gmail.com'],
  ['ada@gmail.con', 'ada@gmail.com'],
  ['ada@gmal.com', 'ada@gmail.com'],
  ['a.b@GMAIL.CO', 'a.b@gmail.com'],
  ['ada@hotmial.com', 'ada@hotmail.com'],
  ['ada@outlok.com', 'ada@outlook.com'],
  ['ada@iclud.com', 'ada@icloud.com'],
  ['ada@gmx.dee', 'ada@gmx.de'],
])('%s is probably %s', (typed, meant) => {
  expect(suggestEmail(typed)).toBe(meant);
});

test.each([
  'ada@gmail.com',
  'ada@mail.com',
  'ada@example.com',
  'ada@lovelace.org',
  'ada@x.de',
  '@gmial.com',
  'ada',
  'ada@',
  'ada@gmx.ch',
  // Providers whose names are close to those of others.
  'ada@yahoo.co.jp',
  'ada@yahoo.com.br',
  'ada@yahoo.ca',
  'ada@hotmail.it',
  'ada@hotmail.com.ar',
  'ada@hotmail.be',
  'ada@outlook.at',
  'ada@outlook.es',
  'ada@live.ca',
  'ada@mail.ru',
  'ada@mail.de',
  'ada@email.com',
  'ada@gmal.de',
  'ada@rocketmail.com',
  'ada@aol.de',
  'ada@msn.cn',
  'ada@orange.es',
  'ada@free.de',
  'ada@126.com',
  'ada@pm.com',
  'ada@me.co',
  'ada@mac.de',
  'ada@web.com',
])('%s is left as it is', (typed) => {
  expect(suggestEmail(typed)).toBeNull();
});

/** Of providers that people have addresses at; many are a letter away from a larger one. */
const realDomains = `
  yahoo.co.in yahoo.co.jp yahoo.co.id yahoo.co.nz yahoo.co.za yahoo.com.br yahoo.com.au yahoo.com.mx
  yahoo.it yahoo.es yahoo.ca yahoo.ie yahoo.in yahoo.se yahoo.pl yahoo.gr yahoo.no yahoo.dk hotmail.it
  hotmail.es hotmail.nl hotmail.be hotmail.se hotmail.dk hotmail.no hotmail.ca hotmail.gr hotmail.ch
  hotmail.cl hotmail.com.br hotmail.com.ar hotmail.co.jp hotmail.co.th hotmail.fi outlook.it
  outlook.es outlook.jp outlook.in outlook.be outlook.dk outlook.at outlook.cz outlook.com.br
  outlook.com.au outlook.ie outlook.pt outlook.sa outlook.cl live.it live.nl live.be live.se live.ca
  live.co.uk live.com.au live.cn live.dk live.no live.ie gmx.ch gmx.fr gmx.us gmx.eu mail.ru mail.de
  email.com email.de email.it gmal.de rocketmail.com aol.de aol.fr aol.co.uk msn.cn orange.be
  orange.es orange.pl free.de web.com freenet.de bluewin.ch hey.co fastmail.fm fastmail.jp proton.ch
  pm.com 126.com 139.com 189.cn qq.cn foxmail.com laposte.net sfr.fr wanadoo.fr t-online.hu
  t-online.at googlemail.de icloud.com.cn mac.de me.co btopenworld.com btinternet.co.uk hushmail.com
  tutamail.com protonmail.ch mask.io
`;

test('no domain of a real provider is taken for a mistake', () => {
  const domains = realDomains.trim().split(/\s+/);
  expect(domains.length).toBeGreaterThan(100);
  expect(domains.filter((domain) => suggestEmail(`ada@${domain}`) !== null)).toEqual([]);
});
