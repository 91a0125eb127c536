-- Opens checkouts and pays them, each by another buyer. BENCH_HANDLE, BENCH_PRODUCT_SLUG, BENCH_RUN (makes emails unique).
-- wrk does not show which connection sends a request: a checkout that was opened is paid by whichever connection comes next, so that
-- about half of the requests open and half pay, as with buyers who do both.
local template = '{"handle":"%s","slug":"%s","email":"buyer-%s-%d@example.com","name":"Ada Lovelace","country":"DE"}'
local handle, slug, run = os.getenv('BENCH_HANDLE'), os.getenv('BENCH_PRODUCT_SLUG'), os.getenv('BENCH_RUN')
local json = { ['Content-Type'] = 'application/json' }
local count, first, last, opened = 0, 1, 0, {}
local threads = {}
paid = 0

function setup(thread)
  table.insert(threads, thread)
end

function request()
  if first <= last then
    local checkout = opened[first]
    opened[first] = nil
    first = first + 1
    local headers = { ['Content-Type'] = 'application/json', ['x-checkout-secret'] = checkout.secret }
    return wrk.format('POST', '/api/checkout/' .. checkout.id .. '/pay', headers, '{"paymentMethod":"sim_ok"}')
  end
  count = count + 1
  return wrk.format('POST', '/api/checkout', json, string.format(template, handle, slug, run, count))
end

function response(status, _, body)
  if status ~= 200 then return end
  local secret = string.match(body, '"secret":"([^"]+)"')
  if secret then
    last = last + 1
    opened[last] = { id = string.match(body, '"id":"(cko_[^"]+)"'), secret = secret }
  elseif string.find(body, '"status":"paid"', 1, true) then
    paid = paid + 1
  end
end

dofile(os.getenv('BENCH_SUMMARY'))
local summarize = done
function done(summary, latency, requests)
  local total = 0
  for _, thread in ipairs(threads) do total = total + thread:get('paid') end
  io.write(string.format('paid %d\n', total))
  summarize(summary, latency, requests)
end
