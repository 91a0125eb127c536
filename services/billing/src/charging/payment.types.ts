import type { CardWallet } from '@app/contracts/card-wallets';
import type { RequestInput } from '@app/contracts/define';
import type { DisputeStatus } from '@app/contracts/disputes';
import type {
  HoldEndReason,
  OfferedUpsell,
  PaymentPurpose,
  PaymentStatus,
  startPayment,
} from '@app/contracts/payments';
import type { PaymentRequest } from '../processors/port.ts';

/** What a hold offers, fixed when its payment is made. */
export interface HoldTerms {
  readonly upsell: OfferedUpsell;
  readonly decisionMinutes: number;
}

/** An attempt of a buyer to pay, as checkout has it: without its card, which it does not store. */
export type Attempt = Omit<RequestInput<typeof startPayment>, 'paymentMethod'>;

/** An attempt to move money. Its columns have the same names in snake case: `payment-store.ts` maps them. */
export type Payment = PaymentRequest & {
  readonly id: string;
  readonly accountId: string;
  readonly orderId: string;
  /** Its purpose, what it pays for: named as its column, and no step of a flow. */
  readonly step: PaymentPurpose;
  /** Of a refund, the charge that it gives back. */
  readonly chargeId: string | null;
  /** Of a release, the payment that it ends: one that waits for its buyer, or one that holds money. */
  readonly releasedPaymentId: string | null;
  /** Of a renewal, the period that it pays. */
  readonly period: number | null;
  readonly attemptNo: number;
  readonly holdTerms: HoldTerms | null;
  readonly amountCents: number;
  readonly currency: string;
  readonly status: PaymentStatus;
  readonly declineKind: 'soft' | 'hard' | null;
  readonly declineReason: string | null;
  readonly declineMessage: string | null;
  readonly processor: string;
  readonly processorReference: string | null;
  readonly actionUrl: string | null;
  readonly lastFour: string | null;
  readonly wallet: CardWallet | null;
  readonly customerEmail: string;
  /** Null where the release before wrote it, and its key is not made yet. */
  readonly emailKey: string | null;
  readonly productName: string;
  readonly test: boolean;
  readonly createdAt: Date;
  readonly sentAt: Date | null;
  readonly finishedAt: Date | null;
  readonly nextCheckAt: Date | null;
  readonly checks: number;
  /** A release of it has no end yet: until then only that release changes it. */
  readonly releasing: boolean;
};

export interface Charge {
  /** The id of the payment that took the money. */
  readonly id: string;
  readonly amountCents: number;
  readonly refundedCents: number;
  /** What lost disputes gave the buyer. */
  readonly lostCents: number;
  readonly currency: string;
  readonly processor: string;
  readonly reference: string;
  readonly test: boolean;
  /** Its refund, the whole rest of it, was requested and goes on at this time, unless a caller does it before. */
  readonly refundDueAt: Date | null;
  /** The first attempt at the processor that belongs to the last such request; null for those of earlier versions. */
  readonly refundFromAttempt: number | null;
  /** What the charge is for. */
  readonly step: PaymentPurpose;
}

export interface Hold {
  readonly orderId: string;
  readonly accountId: string;
  readonly paymentId: string;
  readonly reference: string;
  readonly amountCents: number;
  /** What was captured of it, or charged instead. */
  readonly capturedCents: number;
  readonly currency: string;
  readonly captureBefore: Date;
  readonly decideBy: Date;
  readonly upsell: OfferedUpsell;
  readonly status: 'held' | 'settling' | 'settled' | 'lost';
  /** The buyer's on the upsell, or the seller's to end it without a charge. */
  readonly decision: 'accepted' | 'declined' | 'not_decided' | 'released' | null;
  readonly upsellDeclined: boolean;
  /** Of a lost one; null for those of earlier versions, which had expired. */
  readonly lostBecause: HoldEndReason | null;
  readonly processor: string;
  readonly test: boolean;
  /** When the payments loop goes on with it, unless a request does so before. */
  readonly dueAt: Date;
}

/** A bank's dispute of a charge, as the processor showed it last; fields are named as the columns. */
export interface Dispute {
  readonly processor: string;
  readonly test: boolean;
  /** The processor's id. */
  readonly reference: string;
  /** The charge's. */
  readonly payment_id: string;
  readonly order_id: string;
  readonly amount_cents: number;
  readonly currency: string;
  readonly reason: string;
  readonly status: DisputeStatus;
  /** Whether the charge may be refunded while it is open. */
  readonly refundable: boolean;
  readonly evidence_due_by: Date | null;
  readonly opened_at: Date;
  readonly closed_at: Date | null;
  /** What its end took, in the charge's minor units, also where refunds left less of the charge; 0 while it is open. */
  readonly lost_cents: number;
  /** What of that was given back of the charge; null where it is all that it took. */
  readonly given_back_cents: number | null;
}

/** What a refund has to know of a dispute. */
export type RefundedDispute = Pick<Dispute, 'payment_id' | 'reason' | 'status' | 'refundable'> & {
  readonly open: boolean;
};

/** All that is known of an order's money. */
export interface OrderMoney {
  readonly accountId: string;
  readonly orderId: string;
  /** Oldest first. */
  readonly payments: readonly Payment[];
  /** Of the order itself. */
  readonly charges: readonly Charge[];
  /** Of its renewals. */
  readonly renewals: readonly Charge[];
  /** The subscription that was born from the order. */
  readonly subscriptionId: string | null;
  /** Of its charges and its renewals'. */
  readonly disputes: readonly RefundedDispute[];
  readonly hold: Hold | null;
  readonly savedMethod: string | null;
}
