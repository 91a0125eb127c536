-- One line of JSON when wrk has finished; wrk counts in microseconds.
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'summary {"requests":%d,"seconds":%.6f,"bytes":%d,"p50Ms":%.3f,"p99Ms":%.3f,"maxMs":%.3f,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, summary.bytes,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
