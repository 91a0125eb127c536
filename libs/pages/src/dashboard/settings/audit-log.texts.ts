import type { AuditKind } from '@app/contracts/audit';

/** The filter’s choices. */
export const kindLabels: Readonly<Record<AuditKind, string>> = {
  log_in: 'Log-in',
  api_key: 'API keys',
  settings: 'Settings',
  processor: 'Payment processor',
  webhook: 'Webhooks',
  automation: 'Automations',
  refund: 'Refunds',
  payout: 'Payouts',
  export: 'Exports',
  daily_job: 'Daily job',
  portal_link: 'Links to a buyer’s portal',
};

/** What was done, by the operation’s id. */
export const operationLabels: Readonly<Record<string, string>> = {
  signUp: 'Made the account',
  logIn: 'Log-in',
  logInByLink: 'Log-in by a printed link',
  logOut: 'Log-out',
  confirm: 'Confirmed who they are',
  endSession: 'Ended a session',
  endOtherSessions: 'Ended the other sessions',
  changePassword: 'Changed the password',
  resetPassword: 'Chose a new password by email',
  verifyEmail: 'Verified the email address',
  changeEmail: 'Requested another email address',
  confirmEmail: 'Changed the email address',
  createApiKey: 'Made an API key',
  revokeApiKey: 'Revoked an API key',
  rotateApiKey: 'Replaced an API key',
  updateSettings: 'Changed settings',
  putLogo: 'Changed the logo',
  deleteLogo: 'Removed the logo',
  putPaymentProcessor: 'Changed the payment processor',
  putWebhookEndpoint: 'Set the webhook URL',
  deleteWebhookEndpoint: 'Removed the webhook URL',
  createWebhookEndpoint: 'Added a webhook endpoint',
  updateWebhookEndpoint: 'Changed a webhook endpoint',
  removeWebhookEndpoint: 'Removed a webhook endpoint',
  rotateWebhookSecret: 'Replaced a webhook secret',
  revealWebhookSecret: 'Looked at a webhook secret',
  recoverWebhooks: 'Sent earlier events again',
  createAutomation: 'Added an automation',
  updateAutomation: 'Changed an automation',
  deleteAutomation: 'Removed an automation',
  rotateAutomationSecret: 'Replaced an automation’s secret',
  revealAutomationSecret: 'Looked at an automation’s secret',
  refundOrder: 'Refunded an order',
  refundPayment: 'Refunded a payment',
  releaseOrder: 'Released a held card',
  createPayout: 'Paid an affiliate out',
  exportOrders: 'Downloaded orders',
  exportSubscriptions: 'Downloaded subscriptions',
  exportStatement: 'Downloaded an affiliate’s statement',
  runDailyJob: 'Ran the daily job',
  createPortalLink: 'Made a link to a buyer’s portal',
};

/** Why something was refused; others are shown as their code. */
export const refusalLabels: Readonly<Record<string, string>> = {
  invalid_credentials: 'Wrong password',
  insufficient_scope: 'The key may not do this',
  password_required: 'Not confirmed',
  invalid_transition: 'Not possible then',
};
