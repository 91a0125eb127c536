import { samplePayloads } from '@app/contracts/webhook-samples';
import { placeholderUrl } from './placeholder-url.ts';

/** Programs on the developer pages. Tests run the quick start, the checks of signatures and the reading of the log. */
export const signUp = `
export BASE=${placeholderUrl}

curl -s -c cookies.txt $BASE/api/auth/signup -H "Content-Type: application/json" \\
  -d '{ "email": "you@example.com", "password": "seven bridges over violet water", "name": "Maya Paints" }'
`;

export const firstKey = `
curl -s -b cookies.txt $BASE/api/auth/confirm -H "Content-Type: application/json" \\
  -d '{ "password": "seven bridges over violet water" }'

curl -s -b cookies.txt $BASE/api/v1/api-keys -H "Content-Type: application/json" \\
  -d '{ "name": "My shop" }' > key.json
export KEY=$(sed 's/.*"key":"\\([^"]*\\)".*/\\1/' key.json)
`;

export const firstProduct = `
curl -s $BASE/api/v1/products -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{ "name": "Watercolour Course", "slug": "watercolour-course", "priceCents": 4900, "currency": "usd",
        "pricingType": "onetime", "status": "live", "accessUrl": "https://mayapaints.example/course" }'
`;

export const firstLink = `
export HANDLE=$(curl -s $BASE/api/v1/settings -H "Authorization: Bearer $KEY" | sed 's/.*"handle":"\\([^"]*\\)".*/\\1/')
echo $BASE/c/$HANDLE/watercolour-course
`;

export const firstSale = `
curl -s $BASE/api/v1/orders -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -H "Idempotency-Key: order-1001" \\
  -d '{ "productSlug": "watercolour-course", "email": "maya@example.com", "name": "Maya Lindqvist" }'

curl -s $BASE/api/v1/orders -H "Authorization: Bearer $KEY"
`;

export const firstWebhook = `
curl -s -X PUT $BASE/api/v1/webhook-endpoint -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{ "url": "http://127.0.0.1:3001/hook", "active": false }' > endpoint.json
export SECRET=$(sed 's/.*"secret":"\\([^"]*\\)".*/\\1/' endpoint.json)
`;

export const openCheckout = `
curl ${placeholderUrl}/api/checkout \\
  -H "Content-Type: application/json" \\
  -d '{ "handle": "your-handle", "slug": "watercolour-course", "email": "maya@example.com" }'

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

/** A delivery with its secret, for whoever writes a check: a test computes its signature anew. */
export const vector = {
  secret: 'whsec_YSBzZWNyZXQgb2YgdGhlIGd1aWRlLCAzMiBieXRlcy4=',
  id: 'evt_01kahv7w3xe5m8q2r6t9y0b4cd',
  timestamp: '1795167012',
  signature: 'v1,oI9sKzyUGtLXQTOFT2D4lAXLuCI5dGHxo4zyzVCyGTE=',
  body: JSON.stringify(samplePayloads['order.paid']),
} as const;

export const delivery = `
POST /hook HTTP/1.1
content-type: application/json
x-service-event: order.paid
webhook-id: ${vector.id}
webhook-timestamp: ${vector.timestamp}
webhook-signature: ${vector.signature}

${vector.body}
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

/** The quick start's receiver: the check above, and a server that ends after its first delivery. */
export const receiver = `
cat > receiver.mjs <<'END'
import { createServer } from 'node:http';
${nodeCheck.trim()}

createServer(async (req, res) => {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const genuine = isGenuine(req.headers, body, process.env.SECRET);
  console.log(genuine ? 'genuine:' : 'forged:', body.toString());
  res.writeHead(genuine ? 204 : 400).end(() => process.exit());
}).listen(3001, '127.0.0.1', () => console.log('listening'));
END
node receiver.mjs &
`;

export const firstDelivery = `
curl -s -w '\\n' -X PUT $BASE/api/v1/webhook-endpoint -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{ "url": "http://127.0.0.1:3001/hook", "active": true, "held": "send" }'
wait
`;

export const phpCheck = `
/** $body: the bytes as they came, from file_get_contents('php://input'). */
function isGenuine(array $headers, string $body, string $secret): bool {
  $id = $headers['webhook-id'] ?? '';
  $timestamp = $headers['webhook-timestamp'] ?? '0';
  if (abs(time() - (int) $timestamp) > 300) return false;
  $key = base64_decode(substr($secret, strlen('whsec_')));
  $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
  foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given)
    if (hash_equals($expected, $given)) return true;
  return false;
}
`;

export const rubyCheck = `
require "base64"
require "openssl"

# body: the bytes as they came, before any JSON parser.
def genuine?(headers, body, secret)
  id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
  return false if (Time.now.to_i - timestamp.to_i).abs > 300
  key = Base64.decode64(secret.delete_prefix("whsec_"))
  expected = "v1," + Base64.strict_encode64(OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.#{body}"))
  headers["webhook-signature"].to_s.split.any? { |given| OpenSSL.secure_compare(expected, given) }
end
`;

export const goCheck = `
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// IsGenuine takes the body as it came, before any JSON parser.
func IsGenuine(headers http.Header, body []byte, secret string) bool {
	id, timestamp := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || math.Abs(float64(time.Now().Unix()-seconds)) > 300 {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Fields(headers.Get("webhook-signature")) {
		if hmac.Equal([]byte(expected), []byte(given)) {
			return true
		}
	}
	return false
}
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

/** How each client is given the address and the key. */
export const mcpClients: readonly (readonly [label: string, text: string])[] = [
  [
    'Claude Code',
    `claude mcp add --transport http shop ${placeholderUrl}/api/mcp --header "Authorization: Bearer $KEY"`,
  ],
  [
    'Cursor, ~/.cursor/mcp.json',
    `{ "mcpServers": { "shop": { "url": "${placeholderUrl}/api/mcp", "headers": { "Authorization": "Bearer fnl_…" } } } }`,
  ],
  [
    'VS Code, .vscode/mcp.json',
    `{ "servers": { "shop": { "type": "http", "url": "${placeholderUrl}/api/mcp", "headers": { "Authorization": "Bearer fnl_…" } } } }`,
  ],
  ['Codex, with the key in $KEY', `codex mcp add shop --url ${placeholderUrl}/api/mcp --bearer-token-env-var KEY`],
  [
    'Any client that starts a program: mcp-remote (--allow-http where the address is http)',
    `npx -y mcp-remote ${placeholderUrl}/api/mcp --transport http-only --allow-http --header "Authorization: Bearer $KEY"`,
  ],
];

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
