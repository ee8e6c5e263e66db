/**
 * How the server runs, whatever its configuration file says: what was answered is on the disk, nobody reaches it but by its
 * socket, and it fits a small machine. Each as PostgreSQL names it.
 */
export const SETTINGS: Readonly<Record<string, string>> = {
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  // On macOS `fsync` leaves the disk's own cache alone.
  ...(process.platform === "darwin" && { wal_sync_method: "fsync_writethrough" }),
  autovacuum: "on",
  restart_after_crash: "on",
  ssl: "off",
  // In the data folder: Docker's /dev/shm has 64 MB.
  ...(process.platform !== "win32" && { dynamic_shared_memory_type: "mmap" }),
  shared_memory_type: process.platform === "win32" ? "windows" : "mmap",
  huge_pages: "off",
  shared_buffers: "64MB",
  work_mem: "8MB",
  maintenance_work_mem: "64MB",
  max_connections: "40",
  // The processors are for events.
  max_parallel_workers_per_gather: "0",
  max_logical_replication_workers: "0",
  io_method: "sync",
  wal_compression: "pglz",
  min_wal_size: "64MB",
  max_wal_size: "512MB",
  // What follows by a slot and has gone for good must not fill the disk.
  max_slot_wal_keep_size: "1GB",
  checkpoint_timeout: "15min",
  timezone: "UTC",
  log_timezone: "UTC",
  // What a statement holds is nobody's business.
  log_min_error_statement: "panic",
  log_min_messages: "fatal",
  log_checkpoints: "off",
};

/** What `initdb` makes: texts are UTF-8, and compared without regard to case by the rules of Unicode, on every system the same. */
export const INITDB = [
  ...["--username=tracklet", "--encoding=UTF8", "--no-instructions"],
  ...["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"],
];
