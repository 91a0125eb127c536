import { type CardProcessor, cardProcessorOf } from '@app/contracts/payment-processors';
import type { App } from './app.ts';

/** With what the account's buyers give a card. @param test in a rehearsal */
export async function cardProcessor({ processors }: App, accountId: string, test: boolean): Promise<CardProcessor> {
  const chosen = await processors.find(accountId);
  return cardProcessorOf(chosen ?? { processor: 'none', stripe: null }, test);
}
