import { accentColors } from '@app/contracts/accent-color';
import type { Settings } from '@app/contracts/accounts';
import { escapeHtml, plainLine } from '@app/contracts/plain-text';

/** Whose email it is. */
export interface Sender {
  readonly name: string;
  /** An absolute address; null where there is none: the name stands alone. */
  readonly logoUrl: string | null;
  /** `#rrggbb`, as settings have it; null is the pages' own. */
  readonly accentColor: string | null;
}

export interface LetterLink {
  readonly label: string;
  readonly url: string;
}

/** A line of a receipt: what it is, for how much. Amounts are as they are shown. */
export interface LetterLine {
  readonly label: string;
  readonly amount: string;
  /** Where it is found; empty for nowhere. */
  readonly url?: string;
}

export interface LetterReceipt {
  readonly lines: readonly LetterLine[];
  readonly total: LetterLine;
  /** Terms with what they are: the date, the card, the order's number. */
  readonly facts: readonly (readonly [term: string, value: string])[];
}

/** Parts of an email in the order in which they are read. A paragraph is HTML whose values were escaped; all else is plain text. */
export type LetterPart =
  | { readonly html: string }
  | { readonly receipt: LetterReceipt }
  | { readonly button: LetterLink };

export interface Letter {
  readonly sender: Sender;
  /** What happened, in one line. */
  readonly title: string;
  readonly parts: readonly LetterPart[];
  /** At the end, small. Paragraphs of HTML whose values were escaped. */
  readonly foot: readonly string[];
}

const preheaderMax = 90;
/** Of the document, in which no mail program shows it. */
const titleMax = 70;
/** The pages' own accent, as their styles have it. */
const ours = {
  light: { accent: '#0b5f4f', onAccent: '#ffffff' },
  dark: { accent: '#5fc9ae', onAccent: '#06231c' },
};

/** Text for HTML: one line, escaped. */
export const escapedLine = (text: string): string => escapeHtml(plainLine(text));

export const letterLink = ({ label, url }: LetterLink): string =>
  `<a href="${escapedLine(url)}">${escapedLine(label)}</a>`;

/**
 * The HTML part of every email: tables, because mail programs of Microsoft know no other layout, and styles beside the elements, because
 * many drop those of the head. The head has what can only stand there: dark colours, and a smaller padding on phones.
 * @param preheader what mail programs show beside the subject; it is cut to 90 characters
 */
export function letterHtml(letter: Letter, preheader: string): string {
  const { sender, parts, foot } = letter;
  const title = escapedLine(letter.title);
  const { light, dark } = sender.accentColor === null ? ours : accentColors(sender.accentColor);
  const shownFirst = [...plainLine(preheader)].slice(0, preheaderMax).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml([...plainLine(letter.title)].slice(0, titleMax).join(''))}</title>
<style>
:root { color-scheme: light dark; }
.letter-card a { color: ${ink}; }
.letter-quiet a { color: ${quiet}; }
@media (max-width: 479px) { .letter-card { padding: 20px !important; } .letter-page { padding: 16px 8px !important; } }
@media (max-width: 300px) { .letter-card td { white-space: normal !important; overflow-wrap: anywhere; } }
@media (prefers-color-scheme: dark) {
.letter-page { background: #101214 !important; color: #edeff1 !important; }
.letter-card { background: #181b1e !important; border-color: #2b3035 !important; }
.letter-ink, .letter-card a { color: #edeff1 !important; }
.letter-quiet, .letter-quiet a { color: #a3abb3 !important; }
.letter-rule { border-color: #2b3035 !important; }
.letter-button, .letter-card .letter-button { background: ${dark.accent} !important; color: ${dark.onAccent} !important; }
}
</style>
</head>
<body class="letter-page letter-ink" style="margin:0;padding:0;background:${page};color:${ink}">
<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(shownFirst)}</div>
<table role="none" style="${layout}"><tbody><tr><td class="letter-page" style="text-align:center;padding:32px 16px;background:${page}">
<table role="none" style="${layout};max-width:600px"><tbody><tr><td class="letter-card" style="text-align:left;padding:32px;background:#ffffff;border:1px solid ${line};border-radius:12px">
${headOf(sender)}<h1 class="letter-ink" style="margin:0 0 16px;${font};font-size:22px;line-height:30px;font-weight:600;color:${ink};${breaking}">${title}</h1>
${parts.map((part) => partHtml(part, light)).join('')}</td></tr></tbody></table>
<table role="none" style="${layout};max-width:600px"><tbody><tr><td class="letter-quiet" style="text-align:left;padding:16px 20px 0;${small}">
${foot.map((paragraph) => `<p class="letter-quiet" style="margin:0 0 8px;${small};${breaking}">${paragraph}</p>\n`).join('')}</td></tr></tbody></table>
</td></tr></tbody></table>
</body>
</html>
`;
}

const [page, ink, quiet, line] = ['#f7f7f5', '#16191d', '#5b6168', '#e3e3df'];
const font = `font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',sans-serif`;
const body = `${font};font-size:16px;line-height:24px;color:${ink}`;
const small = `${font};font-size:13px;line-height:19px;color:${quiet}`;
const layout = 'width:100%;margin:0 auto;border-collapse:separate;border-spacing:0';
const breaking = 'overflow-wrap:anywhere';

function headOf({ name, logoUrl }: Sender): string {
  const logo =
    logoUrl === null
      ? ''
      : `<img src="${escapedLine(logoUrl)}" alt="" height="32" style="height:32px;width:auto;vertical-align:middle;margin-right:12px;border:0">`;
  return `<p class="letter-ink" style="margin:0 0 24px;${font};font-size:15px;line-height:22px;font-weight:600;color:${ink};${breaking}">${logo}<bdi>${escapedLine(name)}</bdi></p>\n`;
}

function partHtml(part: LetterPart, accent: { readonly accent: string; readonly onAccent: string }): string {
  if ('html' in part) return `<p class="letter-ink" style="margin:0 0 16px;${body};${breaking}">${part.html}</p>\n`;
  if ('receipt' in part) return receiptHtml(part.receipt);
  const { label, url } = part.button;
  const href = escapedLine(url);
  return `<p style="margin:24px 0 8px"><a class="letter-button" href="${href}" style="display:inline-block;min-height:24px;padding:12px 24px;border-radius:8px;background:${accent.accent};color:${accent.onAccent};${font};font-size:16px;line-height:24px;font-weight:600;text-decoration:none">${escapedLine(label)}</a></p>
<p class="letter-quiet" style="margin:0 0 24px;${small};${breaking}"><a class="letter-quiet" href="${href}" style="color:${quiet}">${href}</a></p>\n`;
}

function receiptHtml({ lines, total, facts }: LetterReceipt): string {
  const cell = (style: string) =>
    `class="letter-ink letter-rule" style="padding:8px 0;vertical-align:top;${body};${style}"`;
  const row = ({ label, amount, url = '' }: LetterLine, style: string): string => {
    const open =
      url === '' ? '' : `<br><a class="letter-ink" href="${escapedLine(url)}" style="${body};font-size:14px">Open</a>`;
    return `<tr><td ${cell(`${style}text-align:left;${breaking}`)}><bdi>${escapedLine(label)}</bdi>${open}</td><td ${cell(`${style}text-align:right;padding-left:16px;white-space:nowrap;font-variant-numeric:tabular-nums`)}><bdi>${escapedLine(amount)}</bdi></td></tr>\n`;
  };
  const fact = ([term, value]: readonly [string, string]): string =>
    `<tr><td class="letter-quiet" style="padding:2px 16px 2px 0;text-align:left;vertical-align:top;${small};white-space:nowrap">${escapedLine(term)}</td><td class="letter-ink" style="padding:2px 0;text-align:left;vertical-align:top;${small};color:${ink};${breaking}"><bdi>${escapedLine(value)}</bdi></td></tr>\n`;
  const known =
    facts.length === 0
      ? ''
      : `<table style="border-collapse:collapse;margin:0 0 16px"><tbody>
${facts.map(fact).join('')}</tbody></table>\n`;
  return `<table style="${layout};margin:0 0 16px"><tbody>
${lines.map((one) => row(one, '')).join('')}${row(total, `border-top:1px solid ${line};font-weight:600;`)}</tbody></table>
${known}`;
}

/** What a shop shows of itself at the end of its emails. */
export interface Shop extends Sender {
  readonly supportEmail: string;
  readonly termsUrl: string | null;
  readonly refundPolicyUrl: string | null;
  /** Where buyers find their purchases; empty while it is not known. */
  readonly purchasesUrl: string;
  /** Where buyers withdraw from a contract; empty where the shop takes no withdrawals. */
  readonly withdrawalUrl: string;
}

type OfShop = Pick<Settings, 'handle' | 'logoName' | 'accentColor' | 'termsUrl' | 'refundPolicyUrl' | 'withdrawalDays'>;

/**
 * A shop as its emails show it.
 * @param publicUrl this deployment's address, without a slash at its end
 */
export function shopOf(
  settings: OfShop,
  named: { readonly name: string; readonly supportEmail: string },
  publicUrl: string,
): Shop {
  const { handle, logoName, accentColor, termsUrl, refundPolicyUrl, withdrawalDays } = settings;
  const purchasesUrl = handle === '' ? '' : `${publicUrl}/p/${handle}`;
  return {
    ...named,
    logoUrl: logoName === null ? null : `${publicUrl}/images/logos/${logoName}`,
    accentColor,
    termsUrl,
    refundPolicyUrl,
    purchasesUrl,
    withdrawalUrl: purchasesUrl === '' || withdrawalDays === 0 ? '' : `${purchasesUrl}/withdraw`,
  };
}

/** The words that the law gives to the link. */
export const withdrawalLabel = 'Withdraw from contract here';

/** The end of an email to a buyer: where to write to, and what the shop has on the web. */
export function shopFoot(shop: Shop): string[] {
  const { name, supportEmail, purchasesUrl, termsUrl, refundPolicyUrl, withdrawalUrl } = shop;
  const links = [
    { label: 'Manage your purchases', url: purchasesUrl },
    { label: 'Terms', url: termsUrl ?? '' },
    { label: 'Refund policy', url: refundPolicyUrl ?? '' },
    { label: withdrawalLabel, url: withdrawalUrl },
  ].filter(({ url }) => url !== '');
  const seller = `<bdi>${escapedLine(name)}</bdi> · <a href="mailto:${escapedLine(supportEmail)}">${escapedLine(supportEmail)}</a>`;
  return [...(links.length === 0 ? [] : [links.map(letterLink).join(' · ')]), seller];
}
