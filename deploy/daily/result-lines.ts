interface Result {
  readonly ok?: boolean;
  readonly rebills?: { charged: number; chargedCents: number; retried: number; canceled: number };
  readonly recovery?: { sent: number; recovered: number };
  readonly holdsSettled?: number;
  readonly chargedByCurrency?: Readonly<Record<string, number>>;
  readonly blocked?: number;
  readonly problems?: readonly { code: string; detail: string }[];
}

/** A result of the job for people to read; nothing for what is none. */
export function resultLines(text: string): string[] {
  const { ok, rebills, recovery, holdsSettled, chargedByCurrency = {}, blocked = 0, problems = [] } = parsed(text);
  if (rebills === undefined || recovery === undefined) return [];
  const { charged, chargedCents, retried, canceled } = rebills;
  const sums = Object.entries(chargedByCurrency).map(([currency, cents]) => `${cents} ${currency}`);
  return [
    `${charged} renewals charged (${sums.join(' + ') || chargedCents} in minor units), ${retried} cards tried again, ${canceled} subscriptions canceled`,
    `${holdsSettled} holds settled, ${recovery.sent} reminders sent, ${recovery.recovered} checkouts recovered`,
    ...(blocked === 0 ? [] : [`${blocked} renewals wait until it is known how an earlier payment for them ended`]),
    ...problems.map(({ code, detail }) => `problem ${code}: ${detail}`),
    ok ? 'ok' : 'not ok; the next run does what was left',
  ];
}

function parsed(text: string): Result {
  try {
    return JSON.parse(text) as Result;
  } catch {
    return {};
  }
}
