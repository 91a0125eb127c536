import { z } from 'zod';

/** The phone's or browser's wallet that gave the card. */
export const cardWallet = z.enum(['apple_pay', 'google_pay']);
export type CardWallet = z.infer<typeof cardWallet>;

/** Beside the last four digits of a card; earlier versions did not know it. */
export const walletOfCard = cardWallet
  .nullable()
  .optional()
  .describe('The wallet that gave the card; null for a card that was typed.');
