import { daySeconds } from '@app/contracts/durations';
import type { RateWindows } from '../../limits/rate-windows.ts';
import type { LetterKind, NoticeKind } from './letter-paths.ts';
import { letterWindow, recipientWindow } from './new-letter.ts';

/** Whose limit is reached, null when none is. Counts over all replicas, in windows of a day. */
export type LetterLimit = (
  kind: LetterKind,
  email: string,
  address: string,
) => Promise<'email' | 'address' | 'deployment' | null>;

export const unlimitedLetters: LetterLimit = async () => null;

/** Of one kind to one address: its owner who tries again and again gets each letter, and a stranger who names it is no nuisance. */
const toEmailMax = 5;
/** Each tells of another change that redirects money or data, of which its owner has to know. */
const changeNoticesMax = 20;
/** Requests by one client: a household, or an office behind one address. */
const fromAddressMax = 20;

/**
 * Letters are the one kind of email that a caller without an account can cause. A request about an unknown
 * address counts until its row is stored, or the loop has found out: then its uses are given back, but for those of the client.
 * @param perDay of one kind, of the whole deployment
 */
export function createLetterLimit(windows: RateWindows, perDay: number): LetterLimit {
  return async (kind, email, address) => {
    const window = (caller: string) => ({ caller, amount: 1, seconds: daySeconds });
    const [ofAddress, ofEmail] = await windows.add(
      window(`letters from ${address}`),
      window(recipientWindow(kind, email)),
    );
    if ((ofAddress?.taken ?? 0) > fromAddressMax) return 'address';
    if ((ofEmail?.taken ?? 0) > toEmailMax) return 'email';
    const [ofAll] = await windows.add(window(letterWindow(kind)));
    return (ofAll?.taken ?? 0) > perDay ? 'deployment' : null;
  };
}

/** Whether one more notice of the kind goes to the user's address today. */
export type NoticeLimit = (kind: NoticeKind, email: string) => Promise<boolean>;

export const unlimitedNotices: NoticeLimit = async () => true;

/**
 * Notices go to addresses that are their users' own, so the account alone bounds them: by what one client or the deployment caused
 * today, an attacker could keep one from being sent.
 */
export const createNoticeLimit =
  (windows: RateWindows): NoticeLimit =>
  async (kind, email) => {
    const [used] = await windows.add({ caller: recipientWindow(kind, email), amount: 1, seconds: daySeconds });
    return (used?.taken ?? 0) <= (kind === 'change_notice' ? changeNoticesMax : toEmailMax);
  };
