import { daySeconds } from '@app/contracts/durations';
import type { RateWindows } from '../../limits/rate-windows.ts';
import type { LetterKind, NoticeKind } from './letter-paths.ts';
import { letterWindow, recipientWindow, unverifiedWindow } from './new-letter.ts';

/** Whose limit is reached, null when none is. Counts over all replicas, in windows of a day. */
export type LetterLimit = (
  kind: LetterKind,
  email: string,
  address: string,
  isUnverified: boolean,
) => Promise<'email' | 'address' | 'deployment' | null>;

export const unlimitedLetters: LetterLimit = async () => null;

/** Of one kind to one address: its owner who tries again and again gets each letter, and a stranger who names it is no nuisance. */
const toEmailMax = 5;
/** Beyond them a client that has requested none to the address gets its first one: a stranger's requests leave its owner theirs. */
const fromAnyMax = 20;
/** Of what an owner has to know each time: a change that redirects money or data, a withdrawal. */
const ownersNoticesMax = 20;
/** Requests by one client: a household, or an office behind one address. */
const fromAddressMax = 20;

/** Counts a withdrawal that a client declares, apart from its letters: nobody loses that right by them. Whether those of the day were declared. */
export type WithdrawalLimit = (address: string) => Promise<boolean>;

export const unlimitedWithdrawals: WithdrawalLimit = async () => false;

export const createWithdrawalLimit =
  (windows: RateWindows): WithdrawalLimit =>
  async (address) => {
    const [ofAddress] = await windows.add(window(`withdrawals from ${address}`));
    return (ofAddress?.taken ?? 0) > fromAddressMax;
  };

/**
 * Letters are the one kind of email that a caller without an account can cause. A request about an unknown
 * address counts until its row is stored, or the loop has found out: then its uses are given back, but for those of the client.
 * @param perDay of one kind, of the whole deployment
 */
export function createLetterLimit(windows: RateWindows, perDay: number): LetterLimit {
  return async (kind, email, address, isUnverified) => {
    const [ofAddress] = await windows.add(window(`letters from ${address}`));
    if ((ofAddress?.taken ?? 0) > fromAddressMax) return 'address';
    if (kind === 'password_reset') return await limitOfReset(windows, perDay, email, { address, isUnverified });
    const ofEmail = await countRecipient(windows, kind, email, address);
    if (ofEmail === null) return 'email';
    if (isOfUnverified(kind, isUnverified) && (await countUnverified(windows, kind, email))) return 'email';
    const [ofAll] = await windows.add(window(letterWindow(kind)));
    // Who has requested none today gets one, whatever others did.
    return (ofAll?.taken ?? 0) > perDay && ofEmail > 1 ? 'deployment' : null;
  };
}

const window = (caller: string) => ({ caller, amount: 1, seconds: daySeconds });

/** Counts a letter of the kind to the address. @returns how many those of the day are; null where they are too many: that one uses up none */
async function countRecipient(
  windows: RateWindows,
  kind: LetterKind,
  email: string,
  address: string,
): Promise<number | null> {
  const caller = recipientWindow(kind, email);
  const [ofEmail, ofClient] = await windows.add(window(caller), window(`${caller} from ${address}`));
  const isFirst = kind === 'portal_link' && ofClient?.taken === 1;
  const taken = ofEmail?.taken ?? 0;
  if (taken <= (isFirst ? fromAnyMax : toEmailMax)) return taken;
  await windows.add({ caller, amount: -1, seconds: daySeconds });
  return null;
}

/**
 * Counts a reset, whosever it is, in one statement: its time says nothing of the address. What is not sent gives its uses back when
 * its row is stored. Of an account that is not verified five reach the address in all.
 */
async function limitOfReset(
  windows: RateWindows,
  perDay: number,
  email: string,
  { address, isUnverified }: { readonly address: string; readonly isUnverified: boolean },
): Promise<'email' | 'deployment' | null> {
  const kind = 'password_reset';
  const recipient = recipientWindow(kind, email);
  // In the order in which `lockedWindows` locks them.
  const callers = [letterWindow(kind), recipient, `${recipient} from ${address}`, unverifiedWindow(email)];
  const counted = await windows.add(...callers.map(window));
  const [ofAll = 0, ofEmail = 0, ofClient = 0, ofUnverified = 0] = counted.map(({ taken }) => taken);
  const max = !isUnverified && ofClient === 1 ? fromAnyMax : toEmailMax;
  if (ofEmail > max || (isUnverified && ofUnverified > unverifiedMax(kind))) return 'email';
  return ofAll > perDay && ofEmail > 1 ? 'deployment' : null;
}

/** Whether one more notice of the kind goes to the user's address today. */
export type NoticeLimit = (kind: NoticeKind, email: string, isUnverified: boolean) => Promise<boolean>;

export const unlimitedNotices: NoticeLimit = async () => true;

/**
 * Notices go to addresses that are their users' own, so the account alone bounds them: by what one client or the deployment caused
 * today, an attacker could keep one from being sent. That a withdrawal was received goes to an address that anyone has named: it counts
 * for the deployment too.
 * @param perDay of one kind, of the whole deployment
 */
export const createNoticeLimit =
  (windows: RateWindows, perDay: number): NoticeLimit =>
  async (kind, email, isUnverified) => {
    if (isUnverified && (await countUnverified(windows, kind, email))) return false;
    const [used] = await windows.add(window(recipientWindow(kind, email)));
    const taken = used?.taken ?? 0;
    if (taken > (ofOwners.has(kind) ? ownersNoticesMax : toEmailMax)) return false;
    if (kind !== 'withdrawal_received_notice') return true;
    const [ofAll] = await windows.add(window(letterWindow(kind)));
    return (ofAll?.taken ?? 0) <= perDay || taken === 1;
  };

/** Each is about something else that its owner has to know. */
const ofOwners: ReadonlySet<NoticeKind> = new Set(['change_notice', 'withdrawal_seller_notice']);

const isOfUnverified = (kind: LetterKind, isUnverified: boolean): boolean => isUnverified || kind === 'verification';

/**
 * Of all kinds to one address, by all accounts that are not verified, a day: five. The last one is kept for a reset, and the two
 * last ones for what the owner of the address requests: whoever signed up with it cannot use them up.
 */
const unverifiedMax = (kind: LetterKind): number => (kind === 'password_reset' ? 5 : kind === 'verification' ? 4 : 3);

/** Counts a letter; whether the address has had those of the day. One that is not sent uses up none. */
async function countUnverified(windows: RateWindows, kind: LetterKind, email: string): Promise<boolean> {
  const caller = unverifiedWindow(email);
  const [used] = await windows.add({ caller, amount: 1, seconds: daySeconds });
  if ((used?.taken ?? 0) <= unverifiedMax(kind)) return false;
  await windows.add({ caller, amount: -1, seconds: daySeconds });
  return true;
}
