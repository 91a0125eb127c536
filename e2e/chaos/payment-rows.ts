/*
 * What a processor has, and what billing has of it. Amounts are in minor units, as numbers.
 */

export interface Entry {
  readonly payment_id: string;
  readonly reference: string;
  readonly kind: 'hold' | 'charge' | 'capture' | 'refund' | 'release' | 'method';
  readonly status: 'succeeded' | 'declined' | 'requires_action' | 'failed';
  readonly amount_cents: number;
  readonly currency: string | null;
  readonly order_id: string;
  readonly account_id: string;
  readonly test: boolean;
  readonly about: string | null;
  readonly taken_cents: number;
  readonly released: boolean;
  readonly recorded_at: Date;
  /** The token of a card that was saved. */
  readonly saved_method: string | null;
  /** Of what was taken, what the bank keeps after disputes; it may have gone back before. */
  readonly lost_cents: number;
  readonly at_stripe: boolean;
}

export interface Payment {
  readonly id: string;
  readonly account_id: string;
  readonly order_id: string;
  readonly step: 'main' | 'capture' | 'upsell' | 'recharge' | 'refund' | 'release' | 'reversal' | 'renewal' | 'card';
  /** Of a refund, the charge that it gives back. */
  readonly charge_id: string | null;
  readonly attempt_no: number;
  /** Of a renewal. */
  readonly period: number | null;
  /** The card that is charged or saved; null for what follows from another payment. */
  readonly card: string | null;
  readonly call: 'authorize' | 'charge' | 'chargeSaved' | 'capture' | 'refund' | 'release' | 'saveMethod';
  readonly amount_cents: number;
  readonly currency: string;
  readonly status: string;
  readonly reason: string | null;
  readonly reference: string | null;
  /** What the request names: of a release, the hold or charge that it ends. */
  readonly about: string | null;
  readonly processor: 'simulated' | 'stripe';
  readonly test: boolean;
}
