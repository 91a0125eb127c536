import { formatAmount } from '@app/money/format';

interface Result {
  readonly ok?: boolean;
  readonly rebills?: { charged: number; chargedCents: number; retried: number; canceled: number };
  readonly recovery?: { sent: number; recovered: number };
  readonly holdsSettled?: number;
  readonly chargedByCurrency?: Readonly<Record<string, number>>;
  readonly blocked?: number;
  readonly waiting?: number;
  readonly declined?: number;
  readonly problems?: readonly { code: string; detail: string }[];
}

/** A result of the job for people to read; nothing for what is none. */
export function resultLines(text: string): string[] {
  const {
    ok,
    rebills,
    recovery,
    holdsSettled = 0,
    blocked = 0,
    waiting = 0,
    declined = 0,
    problems = [],
    ...sums
  } = parsed(text);
  if (rebills === undefined || recovery === undefined) return [];
  const { charged, chargedCents, retried, canceled } = rebills;
  const amounts = Object.entries(sums.chargedByCurrency ?? {}).map(([code, cents]) => formatAmount(cents, code));
  const money = amounts.join(' + ') || (chargedCents === 0 ? '' : `${chargedCents} in minor units`);
  const stopped = problems.some(({ code }) => code === 'charge_limit');
  return [
    `${counted(charged, 'renewal')} charged${money && ` (${money})`}, ${declined === 0 ? '' : `${declined} declined, `}${counted(retried, 'card')} tried again, ${counted(canceled, 'subscription')} canceled`,
    `${counted(holdsSettled, 'hold')} settled, ${counted(recovery.sent, 'reminder')} sent, ${counted(recovery.recovered, 'checkout')} recovered`,
    ...(blocked === 0
      ? []
      : [`${counted(blocked, 'renewal')} left until it is known how an earlier payment for the period ended`]),
    ...(waiting === 0 ? [] : [`${counted(waiting, 'charge')} left to the next run by the limit of charges`]),
    ...problems.map(({ code, detail }) => `problem ${code}: ${detail}`),
    ...(stopped ? ['to charge what waits at once, if it is right: npm run daily -- --force'] : []),
    ok ? 'ok' : 'not ok; the next run does what was left, and each seller reads what is theirs to mend',
  ];
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

function parsed(text: string): Result {
  try {
    return (JSON.parse(text) ?? {}) as Result;
  } catch {
    return {};
  }
}
