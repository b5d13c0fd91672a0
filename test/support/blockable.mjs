/** Loaded before a worker: at SIGUSR2 its event loop stands still for TANDEM_TEST_BLOCK_MS, while disk and network go on. */
const forMs = Number(process.env['TANDEM_TEST_BLOCK_MS'] ?? 5000);
const never = new Int32Array(new SharedArrayBuffer(4));

process.on('SIGUSR2', () => Atomics.wait(never, 0, 0, forMs));
