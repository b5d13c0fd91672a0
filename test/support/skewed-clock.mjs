/** Loaded before a worker: its clock runs TANDEM_TEST_SKEW_MS ahead of everybody else's. */
const aheadMs = Number(process.env['TANDEM_TEST_SKEW_MS'] ?? 0);
const now = Date.now.bind(Date);

globalThis.Date = new Proxy(Date, {
  construct: (target, given) => (given.length === 0 ? new target(now() + aheadMs) : new target(...given)),
  get: (target, key) => (key === 'now' ? () => now() + aheadMs : Reflect.get(target, key)),
});
