/** Log-in attempts, this one included. */
export interface Attempts {
  /** With this email from this address, in the minute and in the hour that began with the first of them. */
  readonly ofPair: { readonly minute: number; readonly hour: number };
  /** With this email from all addresses, in an hour. */
  readonly ofEmail: number;
}

/** A person who tries to find the right one of their passwords. */
export const attemptsPerMinute = 10;
/** A user does not mistype as often in an hour: these are guesses. */
const guessingAt = 100;
const attemptsPerHourWhileGuessing = 3;

/**
 * The limit that this attempt exceeds, null without one. Attempts from other addresses never lock out an address that has not
 * tried itself: the owner can log in from there, and every session stays valid.
 *
 * Guesses at one email, an hour: the first 100, and 3 for each address. One address: 2,400 a day. A thousand addresses:
 * 3,100 an hour, 27 million a year; a random password of ten letters is one of 10^14.
 */
export function exceededLoginLimit({ ofPair, ofEmail }: Attempts): 'minute' | 'hour' | null {
  if (ofEmail > guessingAt && ofPair.hour > attemptsPerHourWhileGuessing) return 'hour';
  return ofPair.minute > attemptsPerMinute ? 'minute' : null;
}
