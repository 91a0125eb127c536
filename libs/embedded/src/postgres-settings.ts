/**
 * Settings for a machine of one or two cores that PostgreSQL shares with Node. Given on the command line at every
 * start, so that they follow the code and not the age of the data.
 */
export function postgresSettings(options: { durable: boolean; maxConnections: number; port: number }): string[] {
  const settings: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port: options.port,
    unix_socket_directories: '',
    max_connections: options.maxConnections,
    shared_buffers: '64MB',
    wal_compression: 'on',
    // By default 1/32 of the shared buffers: under load it was full 400 times a second, and who fills it writes it out.
    wal_buffers: '16MB',
    // Each checkpoint makes the next write of every page a whole one: at 512 MB they came every ten seconds under load.
    max_wal_size: '1GB',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] %a ',
    ...quiet,
    log_checkpoints: 'off',
    log_autovacuum_min_duration: '10s',
    // Three I/O worker processes and a replication launcher are of no use to a database that fits into memory.
    io_method: 'sync',
    max_logical_replication_workers: 0,
    // The outbox turns over all its rows within seconds: vacuum it after 500 dead rows, checking every 10 s, instead of
    // after a fifth of the table and every minute.
    autovacuum_naptime: '10s',
    autovacuum_vacuum_threshold: 500,
    autovacuum_vacuum_scale_factor: 0.02,
    autovacuum_vacuum_insert_scale_factor: 0.1,
    // Tables grow and their values stay alike: analyzed when they have doubled, and by a sample of 9,000 rows. After each 5 %
    // and by 30,000 it took 12 % of all CPU time under load.
    autovacuum_analyze_threshold: 500,
    autovacuum_analyze_scale_factor: 1,
    default_statistics_target: 30,
    autovacuum_max_workers: 2,
    ...(options.durable ? durable : throwaway),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * Rows hold password hashes and emails, and callers can have as many statements refused as they like: the log holds what
 * the server says of itself, while a service logs its own failed statements without their values. LOG ranks above
 * ERROR; the others are for lines that are written all the same.
 */
const quiet = {
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_parameter_max_length: 0,
  log_parameter_max_length_on_error: 0,
};

const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

const throwaway = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  // Databases are copied by the kernel: a quarter of the time and CPU of reading and writing each file.
  file_copy_method: 'clone',
  wal_compression: 'off',
  // A worker that vacuums a template database would hold up a statement that clones it.
  autovacuum: 'off',
};
