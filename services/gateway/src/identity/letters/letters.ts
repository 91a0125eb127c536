import { createMailer } from '@app/email/mailer';
import { createEmailTransport, type EmailSettings, senderOf } from '@app/email/transports';
import { type BackgroundLoop, startLoop } from '@app/service-kit/background-loop';
import type { Installation } from '@app/service-kit/installation';
import { createSealedBox, type SealedBox, type Secrets, secretsOf } from '@app/service-kit/sealed-box';
import type { RateWindows } from '../../limits/rate-windows.ts';
import { RetryLaterError } from '../../problems/retry-later-error.ts';
import {
  createLetterLimit,
  createNoticeLimit,
  createWithdrawalLimit,
  unlimitedLetters,
  unlimitedNotices,
  unlimitedWithdrawals,
} from './letter-limit.ts';
import type { LetterKind, NoticeKind } from './letter-paths.ts';
import { type NewLetter, newLetter } from './new-letter.ts';
import { type SendDeps, sendLetters } from './send-letters.ts';

/** Seals the links of letters that wait to be sent: each for its letter. */
export const createLetterBox = (peppers: Secrets): SealedBox => createSealedBox(peppers, 'letters');

interface LettersConfig extends EmailSettings {
  readonly KEY_PEPPER: string;
  readonly KEY_PEPPER_PREVIOUS?: string | undefined;
  readonly LETTERS_PER_DAY: number;
  readonly RATE_LIMIT_PER_MINUTE: number;
}

interface Wanted {
  readonly email: string;
  /** As `clientOfAddress` gives it. */
  readonly address: string;
  /** Of an account whose address is not verified. */
  readonly isUnverified?: boolean;
  /** What the kind's path stands under: this deployment's address, or that of the seller's portal. */
  readonly baseUrl: string;
}

export interface Letters extends Pick<BackgroundLoop, 'close'> {
  /**
   * Counts a letter and makes it; null when the recipient or the deployment has had its letters of the day, where a reset or a portal
   * link is made `isWithheld`. The caller stores it, and calls `wake` after the commit.
   */
  admit(kind: LetterKind, wanted: Wanted): Promise<NewLetter | null>;
  /** @throws RetryLaterError rate_limited when the client has caused its letters of the day; otherwise as `admit` */
  admitOrRefuse(kind: LetterKind, wanted: Wanted): Promise<NewLetter | null>;
  /**
   * Counts a withdrawal, which letters follow.
   * @throws RetryLaterError rate_limited when the client has declared those of the day
   */
  countWithdrawal(address: string): Promise<void>;
  /** Counts and makes a letter that notifies of what happened; null when the address had those of the kind that day. */
  notice(kind: NoticeKind, wanted: Omit<Wanted, 'address'>): Promise<NewLetter | null>;
  wake(): void;
}

/** Anyone who names an address requests those: the time of the answer must not say whether it is known. */
const isOfStrangers = (kind: LetterKind): boolean => kind === 'password_reset' || kind === 'portal_link';

const tooMany = (detail: string): RetryLaterError => new RetryLaterError('rate_limited', detail, 3_600);

/** A letter of another replica that died is due after three minutes. */
const pauseMs = 30_000;

export function startLetters(
  config: LettersConfig,
  deps: Pick<SendDeps, 'database' | 'clock' | 'logger' | 'requester'> & { readonly installation: Installation },
  windows: RateWindows,
): Letters {
  const { clock, logger } = deps;
  const box = createLetterBox(secretsOf(config.KEY_PEPPER, config.KEY_PEPPER_PREVIOUS));
  const mailer = createMailer(createEmailTransport(config));
  const send = { ...deps, box, mailer, replyTo: senderOf(config) };
  const loop = startLoop({
    name: 'gateway.letters',
    held: deps.installation.isCopy,
    round: (isClosing) => sendLetters(send, isClosing),
    pauseMs: () => pauseMs,
    onFailure: (err) => logger.warn({ err }, 'letters could not be sent; retrying in 30 seconds'),
  });
  const isUnlimited = config.RATE_LIMIT_PER_MINUTE === 0;
  const limit = isUnlimited ? unlimitedLetters : createLetterLimit(windows, config.LETTERS_PER_DAY);
  const isNoticed = isUnlimited ? unlimitedNotices : createNoticeLimit(windows, config.LETTERS_PER_DAY);
  const isOverWithdrawals = isUnlimited ? unlimitedWithdrawals : createWithdrawalLimit(windows);
  const make = (kind: LetterKind, { email, baseUrl }: Omit<Wanted, 'address'>) =>
    newLetter(box, kind, email, baseUrl, clock.now());
  const admit = async (kind: LetterKind, wanted: Wanted, refuse: boolean): Promise<NewLetter | null> => {
    const reached = await limit(kind, wanted.email, wanted.address, wanted.isUnverified ?? false);
    if (reached === 'deployment')
      logger.warn({ perDay: config.LETTERS_PER_DAY }, 'the daily limit of letters is reached: LETTERS_PER_DAY');
    if (reached === 'address' && refuse) throw tooMany('At most 20 such emails a day are sent for one address.');
    if (reached === null) return make(kind, wanted);
    return isOfStrangers(kind) && reached !== 'address' ? { ...make(kind, wanted), isWithheld: true } : null;
  };
  return {
    admit: (kind, wanted) => admit(kind, wanted, false),
    admitOrRefuse: (kind, wanted) => admit(kind, wanted, true),
    countWithdrawal: async (address) => {
      if (await isOverWithdrawals(address)) throw tooMany('At most 20 withdrawals a day are taken from one address.');
    },
    notice: async (kind, wanted) =>
      (await isNoticed(kind, wanted.email, wanted.isUnverified ?? false)) ? make(kind, wanted) : null,
    wake: loop.wake,
    close: loop.close,
  };
}
