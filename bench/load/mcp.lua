-- Calls one tool over and over: list_orders, or create_order, each by another buyer. BENCH_TOOL, BENCH_REVISION (of the protocol), and what
-- orders.lua takes.
local tool, revision = os.getenv('BENCH_TOOL'), os.getenv('BENCH_REVISION')
local slug, bump, run = os.getenv('BENCH_PRODUCT_SLUG'), os.getenv('BENCH_BUMP_ID'), os.getenv('BENCH_RUN')
local meta = ''
local count = 0

wrk.method = 'POST'
wrk.headers['Content-Type'] = 'application/json'
wrk.headers['Accept'] = 'application/json, text/event-stream'
wrk.headers['Authorization'] = 'Bearer ' .. os.getenv('BENCH_API_KEY')
wrk.headers['MCP-Protocol-Version'] = revision
if revision >= '2026' then
  wrk.headers['Mcp-Method'] = 'tools/call'
  wrk.headers['Mcp-Name'] = tool
  meta = ',"_meta":{"io.modelcontextprotocol/protocolVersion":"' .. revision .. '","io.modelcontextprotocol/clientCapabilities":{}}'
end

local order = '{"productSlug":"%s","email":"buyer-%s-%d@example.com","name":"Ada Lovelace","bumpIds":["%s"],"country":"DE"}'

function request()
  count = count + 1
  local arguments = tool == 'create_order' and string.format(order, slug, run, count, bump) or '{}'
  return wrk.format(nil, nil, nil, '{"jsonrpc":"2.0","id":' .. count .. ',"method":"tools/call","params":{"name":"' .. tool
    .. '","arguments":' .. arguments .. meta .. '}}')
end

dofile(os.getenv('BENCH_SUMMARY'))
