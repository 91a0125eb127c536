/** What our modules use of Stripe.js: https://docs.stripe.com/js */
interface StripeError {
  readonly type: string;
  readonly message?: string;
}
interface StripeElements {
  create(type: 'payment', options: object): StripeElement;
  update(options: object): void;
  submit(): Promise<{ readonly error?: StripeError }>;
}
interface StripeElement {
  mount(container: HTMLElement): void;
  update(options: object): void;
  destroy(): void;
  on(event: string, listener: (event: { readonly error?: StripeError }) => void): void;
}
interface StripeOfPage {
  elements(options: object): StripeElements;
  handleNextAction(options: { readonly clientSecret: string }): Promise<{ readonly error?: StripeError }>;
  createConfirmationToken(options: {
    readonly elements: StripeElements;
  }): Promise<{ readonly error?: StripeError; readonly confirmationToken?: { readonly id: string } }>;
}
declare var Stripe: undefined | ((publishableKey: string) => StripeOfPage);
