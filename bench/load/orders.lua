-- POSTs orders, each by another buyer. BENCH_API_KEY, BENCH_PRODUCT_SLUG, BENCH_BUMP_ID, BENCH_RUN (makes emails unique).
local template = '{"productSlug":"%s","email":"buyer-%s-%d@example.com","name":"Ada Lovelace","bumpIds":["%s"],'
  .. '"country":"DE","utm_source":"newsletter","utm_campaign":"launch-week"}'
local slug, bump, run = os.getenv('BENCH_PRODUCT_SLUG'), os.getenv('BENCH_BUMP_ID'), os.getenv('BENCH_RUN')
local count = 0

wrk.method = 'POST'
wrk.headers['Content-Type'] = 'application/json'
wrk.headers['Authorization'] = 'Bearer ' .. os.getenv('BENCH_API_KEY')

function request()
  count = count + 1
  return wrk.format(nil, nil, nil, string.format(template, slug, run, count, bump))
end

dofile(os.getenv('BENCH_SUMMARY'))
