/** Loaded before a worker: its clock runs TANDEM_TEST_SKEW_MS ahead of everybody else's, from TANDEM_TEST_SKEW_AFTER_MS of its life on. */
const skewMs = Number(process.env['TANDEM_TEST_SKEW_MS'] ?? 0);
const afterMs = Number(process.env['TANDEM_TEST_SKEW_AFTER_MS'] ?? 0);
const wall = Date.now.bind(Date);
const now = () => wall() + (performance.now() >= afterMs ? skewMs : 0);

globalThis.Date = new Proxy(Date, {
  construct: (target, given) => (given.length === 0 ? new target(now()) : new target(...given)),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});
