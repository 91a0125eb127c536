import type { CardWallet } from '@app/contracts/card-wallets';

interface ShownCard {
  readonly last_four: string | null;
  readonly wallet?: CardWallet | null | undefined;
}

const wallets = { apple_pay: 'Apple Pay', google_pay: 'Google Pay' } as const satisfies Record<CardWallet, string>;

/** What a card is called: its wallet as buyers know it, and its last four digits. Null where neither is known. */
export function cardName({ last_four, wallet = null }: ShownCard): string | null {
  if (wallet === null) return last_four === null ? null : `Card ending in ${last_four}`;
  return last_four === null ? wallets[wallet] : `${wallets[wallet]} ···· ${last_four}`;
}
