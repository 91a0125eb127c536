import { orderNumber } from '@app/contracts/order-number';
import type { LetterKind, WithdrawalLetterKind } from './letter-paths.ts';

/** What the letters of a withdrawal are made of: JSON in their `detail`. */
export interface WithdrawalDetail {
  readonly seller: string;
  /** The statement. */
  readonly words: string;
  readonly email: string;
  readonly orderId: string | null;
  readonly late: boolean | null;
  /** When it was received. */
  readonly at: string;
  /** Why it was declined. */
  readonly answer: string | null;
}

export const isOfWithdrawal = (kind: LetterKind): kind is WithdrawalLetterKind => kind.startsWith('withdrawal_');

interface Words {
  readonly subject: string;
  readonly why: string;
  readonly quoted: readonly string[];
  readonly what: string;
  readonly button: string;
  readonly ending: string;
}

/** To the second, in UTC: the reader's zone is unknown. */
function momentOf(at: string): string {
  const [day = '', time = ''] = at.split('T');
  return `on ${day} at ${time.slice(0, 8)} UTC`;
}

/** The words of a letter about a withdrawal. What was typed, and the seller's answer, stand apart from ours. */
export function withdrawalWords(kind: WithdrawalLetterKind, detail: string | null): Words {
  const { seller, words, email, orderId, late, at, answer } = JSON.parse(detail ?? '{}') as WithdrawalDetail;
  if (kind === 'withdrawal_declined_notice') {
    return {
      subject: 'Your withdrawal was declined',
      why: `${seller} has declined the withdrawal that was received ${momentOf(at)}:`,
      quoted: [words, 'The answer:', ...(answer ?? '').split(/\n+/)],
      what: `Write to ${seller} if you do not agree. What you bought there is on this page:`,
      button: 'Open your purchases',
      ending: 'If you have declared no withdrawal, do nothing.',
    };
  }
  if (kind === 'withdrawal_received_notice') {
    return {
      subject: 'Your withdrawal was received',
      why: `${seller} received this withdrawal from a contract ${momentOf(at)}:`,
      quoted: [words, `Address for the answer: ${email}`],
      what: `This says that it was received. ${seller} decides about it, and answers you. What you bought there is on this page:`,
      button: 'Open your purchases',
      ending: 'If you have declared no withdrawal, do nothing.',
    };
  }
  const found =
    orderId === null ? 'No order was found for it.' : `Order that was found for it: ${orderNumber(orderId)}`;
  return {
    subject: 'A withdrawal from a contract was declared',
    why: `Your shop received a withdrawal ${momentOf(at)}. Whoever declared it typed this:`,
    quoted: [
      words,
      `Address: ${email}`,
      found,
      ...(late === true ? ['It came after the days that your shop gives.'] : []),
    ],
    what: 'Accept or decline it on this page. Where it is right, the law gives you 14 days to pay the money back:',
    button: 'Open the withdrawals',
    ending: 'Accepting it moves no money: the refund comes after it, and is shown before it is done.',
  };
}
