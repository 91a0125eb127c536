/** Where most addresses are; those that differ from another by one letter stand here so that neither is taken for the other. */
const domains = [
  'gmail.com',
  'googlemail.com',
  'mail.com',
  'gmx.com',
  'gmx.de',
  'gmx.net',
  'gmx.at',
  'web.de',
  't-online.de',
  'yahoo.com',
  'yahoo.de',
  'yahoo.fr',
  'yahoo.co.uk',
  'ymail.com',
  'hotmail.com',
  'hotmail.de',
  'hotmail.fr',
  'hotmail.co.uk',
  'outlook.com',
  'outlook.de',
  'outlook.fr',
  'live.com',
  'live.de',
  'msn.com',
  'aol.com',
  'icloud.com',
  'me.com',
  'mac.com',
  'proton.me',
  'protonmail.com',
  'pm.me',
  'fastmail.com',
  'hey.com',
  'orange.fr',
  'free.fr',
  'btinternet.com',
  'comcast.net',
  'qq.com',
  '163.com',
];

/**
 * The address that was probably meant: the same with a well-known domain that is one or two letters away. Null when the domain
 * is known, or far from all.
 */
export function suggestEmail(email: string): string | null {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1).toLowerCase();
  if (at < 1 || domain.length < 5 || domain.length > 30 || domains.includes(domain)) return null;
  // Short domains are close to many others.
  const most = domain.length < 9 ? 1 : 2;
  const [nearest] = domains
    .map((known) => ({ known, distance: distanceOf(domain, known, most) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((one, other) => one.distance - other.distance);
  return nearest === undefined ? null : `${email.slice(0, at)}@${nearest.known}`;
}

/** Letters to insert, leave out or replace; two that were swapped count as one. More than `most` is not counted. */
function distanceOf(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  const rows = [Array.from({ length: other.length + 1 }, (_, index) => index)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? most + 1;
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= other.length; j++) {
      const replaced = at(i - 1, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const areSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, areSwapped ? at(i - 2, j - 2) + 1 : most + 1));
    }
  }
  return at(one.length, other.length);
}
