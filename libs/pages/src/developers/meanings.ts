import type { ErrorCode } from '@app/contracts/errors';

/** What each code means for a caller, and what to do. */
export const meanings: Record<Exclude<ErrorCode, 'unknown_product'>, string> = {
  malformed_json: 'The body cannot be read as JSON in UTF-8. Nothing was done.',
  malformed_request: 'The request breaks the rules of HTTP: a path that is not validly encoded, a broken header.',
  invalid_idempotency_key: 'Idempotency-Key must be 1 to 255 visible ASCII characters, once.',
  unauthorized: 'The key is missing, malformed, unknown, expired or revoked; the answer does not say which.',
  invalid_credentials:
    'No account has this email with this password, or the password, code or passkey is not that of the user.',
  login_expired:
    'The password was right and a factor is due: it is given within ten minutes, once. Log in with the password again.',
  portal_session_ended:
    'The header `x-portal-session` is missing, malformed or unknown, or its session has ended; the answer does not say which. ' +
    'Request another link: POST /api/portal/links.',
  insufficient_scope: 'The key is valid and lacks the scope that `detail` names. Use another key.',
  password_required:
    'What redirects money or data needs the person who is logged in once more: POST /api/auth/confirm, then repeat the ' +
    'request within 15 minutes. Nothing was changed.',
  cross_site_request:
    'A browser sent this from a page of another site, or under a name that is not this deployment’s own. Programs send ' +
    'a key instead of a session.',
  not_allowed_by_seller:
    'The seller has switched this off for buyers (settings `portalCancel`, `portalPause` and `withdrawalDays`). Nothing was changed.',
  signup_closed: 'This deployment takes no new accounts.',
  not_found:
    'No endpoint has this path, or the token of an email was used already, is older than 48 hours, or is not complete.',
  product_not_found:
    'The account has no product with this id or slug. A product of another account gets the same answer.',
  offer_not_found: 'The product has no bump or upsell with this id.',
  email_not_found: 'The product has no post-purchase email with this id.',
  discount_not_found: 'The product has no discount with this id.',
  order_not_found: 'The account has no order with this id.',
  customer_not_found: 'The account has no customer with this id.',
  payment_not_found: 'The account has no payment with this id.',
  checkout_not_found: 'No checkout has this id and this secret; the answer does not say which of the two is wrong.',
  withdrawal_not_found: 'The account has no withdrawal with this id.',
  subscription_not_found: 'The account has no subscription with this id.',
  daily_run_not_found: 'The account has no daily run with this id.',
  affiliate_not_found: 'The account has no affiliate with this code.',
  api_key_not_found: 'The account has no key with this id.',
  passkey_not_found: 'The user has no passkey with this id.',
  session_not_found: 'The user has no session with this id, or it has ended.',
  webhook_endpoint_not_found: 'No webhook URL is connected, or none of the account has this id.',
  delivery_not_found: 'The id is unknown, of another account, or of a delivery older than 13 months.',
  recovery_not_found: 'The id is unknown or of another account.',
  automation_not_found: 'The id is unknown, of another account, or of an automation that was deleted.',
  method_not_allowed: 'The path exists, with other methods: the header `allow` names them.',
  not_acceptable:
    'The header Accept leaves out the type of the answer: `text/csv` for a download, else `application/json`.',
  idempotency_key_in_use:
    'The first request with this Idempotency-Key is still running. Repeat it after `retry-after`.',
  card_declined:
    'The bank refused the card, or it could not be saved now: `errors` says which (`card_declined`, `incorrect_cvc`, `try_again_later` …). The card ' +
    'before it stays.',
  no_payment_processor:
    'The account has chosen no payment processor that this deployment allows. Choose one: PUT /api/v1/payment-processor.',
  amount_changed:
    'The call named the amount that it was shown (`expectedCents`), and another one would move now: `detail` says which. Nothing was done.',
  nothing_due: 'No commission of the affiliate is due yet. `includePending=true` pays pending ones too.',
  passkeys_unavailable:
    'Passkeys belong to a host name that browsers reach by https (or `localhost`). Use one-time codes, or set PUBLIC_URL.',
  email_unavailable: 'Emails cannot be sent: this deployment has no mail server. Its operator sets `SMTP_URL`.',
  invalid_transition:
    'A resource in its current state cannot be changed in this way: `detail` says why. Read it, and decide again.',
  payment_disputed:
    'The buyer’s bank disputes the payment, or took the money in a dispute that was lost, so nothing is refunded: `detail` says why. ' +
    'An open one is answered at the payment processor.',
  no_longer_for_sale:
    'The product of this checkout was archived, taken back or deleted after it was opened. Nothing was charged; it can be ' +
    'paid once the product is live again.',
  price_changed:
    'What the checkout costs is no longer what its buyer was shown. Nothing was charged: read it, show the new lines, pay again.',
  already_bought:
    'The same email has bought this product within the hour, subscribes to it, or is paying for it, from the same browser, ' +
    'address or card. Nothing was charged: ask the buyer, and repeat with `confirmRepeat: true` for one more.',
  test_mode_changed:
    'The seller switched test mode since the checkout was opened. Nothing was charged: open another checkout, in a page by ' +
    'reloading it.',
  already_refunded:
    'The whole payment has gone back before, so no amount of it is left. Nothing was refunded; read the payment’s order.',
  refund_failed:
    'The processor refused the refund or a part of it; `detail` says what was given back and why, and `errors` names each ' +
    'payment that did not go back. The order is still paid: refund it again, and nothing goes back twice.',
  slug_taken: 'Another product of the account has this slug.',
  handle_taken: 'Another account has or had this handle, or it is kept for other addresses.',
  body_expired: 'Bodies of events are kept for 30 days; what is older cannot be sent again. Read the order instead.',
  email_taken: 'An account with this email exists: log in to it.',
  code_taken: 'The account has this code already.',
  position_taken: 'Another email of the funnel has this position.',
  version_changed:
    'The header `If-Match` names a version that is no longer the current one: another caller has changed the resource since it was ' +
    'read. Nothing was changed: read it again and repeat the change.',
  payload_too_large: 'The body is larger than 256 KB.',
  unsupported_media_type: 'Send JSON, uncompressed, with Content-Type: application/json.',
  headers_too_large: 'The address and the headers of a request may have 16 KB together. The connection is closed.',
  validation_failed: 'Fields are missing, unknown or out of range: `errors` names each. Nothing was done.',
  idempotency_key_reused:
    'The Idempotency-Key belongs to an earlier request with another method, path or body, or by another key or user.',
  product_not_live: 'The product is a draft or archived, and cannot be sold.',
  limit_reached:
    'The account has as many of these as its limit allows: `detail` names the limit. Delete what is no longer used.',
  buyer_not_found: 'No order of this account, and no rehearsal, has this email address. No link was made.',
  bump_not_found: 'One of `bumpIds` is not an active bump of this product. Nothing was recorded.',
  discount_invalid: 'The discount code is unknown, expired or used up.',
  total_too_large:
    'The lines add up to more than a payment may be; `detail` says how much that is. Nothing was charged or recorded.',
  webhook_url_refused: 'Webhooks go to public addresses only: private, loopback and metadata addresses are refused.',
  idempotency_budget_used:
    'The answers kept under your Idempotency-Keys have used up a day’s room. Keys that were used are answered as before; send new ones after `retry-after`, or send the request without a key.',
  rate_limited:
    'Wait for the seconds in `retry-after`. On `pay`: the limit of declined payments of this address, this account or this ' +
    'checkout is reached; the answer does not say which, and nothing was charged.',
  internal: 'A fault of the platform. Report the request id, and repeat with the same Idempotency-Key.',
  service_unavailable:
    'Part of the platform is down, or the account has too many concurrent requests or unread answers. Nothing was done. ' +
    'Repeat after `retry-after`.',
  outcome_unknown: 'The answer was lost on the way. Repeat with the same Idempotency-Key and it has one effect.',
};
