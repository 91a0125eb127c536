-- GETs one address over and over. BENCH_API_KEY.
wrk.headers['Authorization'] = 'Bearer ' .. os.getenv('BENCH_API_KEY')

dofile(os.getenv('BENCH_SUMMARY'))
