import { placeholderUrl } from './placeholder-url.ts';

/** Programs on the developer page; tests run what makes a key, the checks of signatures and reading the log. */
export const firstKey = `
curl ${placeholderUrl}/api/auth/login -c cookies.txt \\
  -H "Content-Type: application/json" \\
  -d '{ "email": "you@example.com", "password": "your password" }'

curl ${placeholderUrl}/api/auth/confirm -b cookies.txt \\
  -H "Content-Type: application/json" \\
  -d '{ "password": "your password" }'

curl ${placeholderUrl}/api/v1/api-keys -b cookies.txt \\
  -H "Content-Type: application/json" \\
  -d '{ "name": "My shop" }'

# {"id":"key_…","name":"My shop", … ,"key":"fnl_…"}
`;

export const quickStart = `
export KEY=fnl_…

# What do I sell?
curl ${placeholderUrl}/api/v1/products -H "Authorization: Bearer $KEY"

# Record an order that was paid elsewhere
curl ${placeholderUrl}/api/v1/orders \\
  -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: order-1001" \\
  -d '{ "productSlug": "watercolour-foundations", "email": "maya@example.com", "name": "Maya Lindqvist" }'

# {"ok":true,"orderId":"ord_…","totalCents":14900}

# It is in the list, and in the metrics of its product
curl ${placeholderUrl}/api/v1/orders -H "Authorization: Bearer $KEY"
curl ${placeholderUrl}/api/metrics/prd_… -H "Authorization: Bearer $KEY"
`;

export const openCheckout = `
curl ${placeholderUrl}/api/checkout \\
  -H "Content-Type: application/json" \\
  -d '{ "handle": "your-handle", "slug": "watercolour-foundations", "email": "maya@example.com" }'

# {"id":"cko_…","status":"open","lines":[{"kind":"main", … }],"totalCents":14900, … ,"secret":"…"}
`;

export const payCheckout = `
export CHECKOUT=${placeholderUrl}/api/checkout/cko_… SECRET=…

# Change what the buyer has filled in or chosen; the answer has the new lines and total
curl -X PATCH $CHECKOUT -H "x-checkout-secret: $SECRET" \\
  -H "Content-Type: application/json" \\
  -d '{ "name": "Maya Lindqvist", "country": "SE" }'

curl $CHECKOUT/pay -H "x-checkout-secret: $SECRET" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: 5f0c1f2e-pay-1" \\
  -d '{ "paymentMethod": "sim_ok", "totalCents": 14900 }'

# {"status":"authorized","orderId":"ord_…","totalCents":14900,"upsell":{ … ,"status":"offered"}}

curl $CHECKOUT/upsell -H "x-checkout-secret: $SECRET" \\
  -H "Content-Type: application/json" \\
  -d '{ "accept": true }'

# {"status":"paid","orderId":"ord_…","totalCents":19800,"upsell":{ … ,"status":"accepted"}}
`;

export const connectWebhook = `
curl -X PUT ${placeholderUrl}/api/v1/webhook-endpoint \\
  -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" \\
  -d '{ "url": "https://hooks.example.com/sales" }'

# {"id":"whe_…","url":"https://hooks.example.com/sales", … ,"secret":"whsec_…"}
`;

export const delivery = `
POST /sales HTTP/1.1
content-type: application/json
x-service-event: order.paid
webhook-id: evt_01kahv7w3xe5m8q2r6t9y0b4cd
webhook-timestamp: 1795167012
webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=

{"event":"order.paid","orderId":"ord_…","product":"Watercolour Course", … ,"sentAt":"2026-11-20T09:30:12.345Z"}
`;

export const libraryCheck = `
import { Webhook } from 'standardwebhooks'; // or from 'svix'

/**
 * body: the text as it came, before any JSON parser.
 * @throws Error unless it is genuine and of the last five minutes
 */
export function readEvent(headers, body, secret) {
  return new Webhook(secret).verify(body, headers);
}
`;

export const nodeCheck = `
import { createHmac, timingSafeEqual } from 'node:crypto';

/** body: the bytes as they came, before any JSON parser. */
export function isGenuine(headers, body, secret) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\`).update(body).digest();
  return String(headers['webhook-signature']).split(' ').some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
`;

export const pythonCheck = `
import base64, hashlib, hmac, time

def is_genuine(headers, body: bytes, secret: str) -> bool:
    """body: the bytes as they came, before any JSON parser."""
    message_id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(expected, given) for given in headers["webhook-signature"].split())
`;

export const catchUp = `
/**
 * Handles each event after the one with the id \`last\`, or all that are kept. Returns the id to go on from: store it for
 * the next time, and never take the id of a webhook for it, because webhooks come in no order.
 */
export async function catchUp(key, last, handle) {
  for (let more = true; more; ) {
    const query = new URLSearchParams({ limit: '100', ...(last && { after: last }) });
    const headers = { authorization: \`Bearer \${key}\` };
    const answer = await fetch(\`${placeholderUrl}/api/v1/events?\${query}\`, { headers });
    if (!answer.ok) throw new Error(\`the log answered \${answer.status}\`);
    const page = await answer.json();
    for (const { id, event, payload } of page.data) {
      await handle(id, event, payload); // payload is null after 30 days
      last = id;
    }
    more = page.has_more;
  }
  return last;
}
`;

export const selfTest = `
curl -X POST ${placeholderUrl}/api/v1/webhook-endpoints/whe_…/self-test \\
  -H "Authorization: Bearer $KEY"

# {"ok":false, … ,"summary":"A wrong signature was accepted: anyone who knows the URL could fake a sale."}
`;

export const mcpConfig = `
{
  "mcpServers": {
    "shop": {
      "type": "http",
      "url": "${placeholderUrl}/api/mcp",
      "headers": { "Authorization": "Bearer fnl_…" }
    }
  }
}
`;

export const mcpRequest = `
curl ${placeholderUrl}/api/mcp \\
  -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" \\
  -H "Accept: application/json, text/event-stream" \\
  -d '{ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "list_orders", "arguments": { "limit": 5 } } }'
`;

export const problemSample = `
HTTP/1.1 422 Unprocessable Entity
content-type: application/problem+json
x-request-id: 01kahv7w3xe5m8q2r6t9y0b4cd

{
  "type": "${placeholderUrl}/developers/errors#validation_failed",
  "title": "Some fields are invalid",
  "status": 422,
  "detail": "email must be an email address.",
  "code": "validation_failed",
  "requestId": "01kahv7w3xe5m8q2r6t9y0b4cd",
  "errors": [{ "field": "email", "code": "invalid_format", "message": "must be an email address" }]
}
`;
