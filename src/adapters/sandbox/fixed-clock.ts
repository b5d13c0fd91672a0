/** Runs in the sandbox before the host: stops every clock of JavaScript, so that all calls see the same time. */
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import perfHooks from 'node:perf_hooks';
import vm from 'node:vm';

/** Midnight of 1 January 2026, UTC, as in `python/fixed_clock.py`. */
const NOW = Date.UTC(2026, 0, 1);

function defineValue(object: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: true });
}

function defineGetter(object: object, name: PropertyKey, get: (this: unknown) => unknown): void {
  Object.defineProperty(object, name, { get, configurable: true, enumerable: true });
}

/** Removes functions that only measure time, and `vm`, because each of its contexts has its own clock. */
function hideMembers(object: object, names: readonly PropertyKey[]): void {
  const fixed = (name: PropertyKey): boolean => Object.getOwnPropertyDescriptor(object, name)?.configurable === false;
  for (const name of names) if (!fixed(name)) defineValue(object, name, undefined);
}

const date = new Proxy(Date, {
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [NOW] : args, made) as Date,
  apply: () => new date().toString(),
});
defineValue(Date, 'now', () => NOW);
defineValue(Date.prototype, 'constructor', date);
defineValue(globalThis, 'Date', date);

const shownTime = Intl.DateTimeFormat.prototype;
const { format, formatToParts } = Object.getOwnPropertyDescriptors(shownTime);
defineGetter(shownTime, 'format', function (this: unknown) {
  const shown = Reflect.apply(format.get ?? (() => undefined), this, []) as (time: unknown) => string;
  return (time: unknown = NOW) => shown(time);
});
defineValue(shownTime, 'formatToParts', function (this: unknown, time: unknown = NOW) {
  return Reflect.apply(formatToParts.value as (time: unknown) => unknown, this, [time]);
});

const measuring = Object.getPrototypeOf(performance) as object;
const names = Reflect.ownKeys(measuring).filter((name) => typeof name === 'string' && name !== 'constructor');
// Replaced by functions that do nothing instead of being removed, because Node's built-in code calls some of them.
for (const name of names) defineValue(measuring, name, () => undefined);
defineValue(measuring, 'now', () => 0);
defineValue(measuring, 'timeOrigin', NOW);
defineGetter(Event.prototype, 'timeStamp', () => 0);
defineGetter(File.prototype, 'lastModified', () => NOW);
defineValue(
  process,
  'hrtime',
  Object.assign(() => [0, 0], { bigint: () => 0n }),
);
defineValue(process, 'uptime', () => 0);
hideMembers(process, ['cpuUsage', 'threadCpuUsage', 'resourceUsage', 'binding']);
hideMembers(os, ['uptime', 'loadavg', 'cpus', 'freemem']);
hideMembers(globalThis, ['PerformanceMark', 'PerformanceMeasure', 'PerformanceObserver']);
hideMembers(
  perfHooks,
  Reflect.ownKeys(perfHooks).filter((name) => name !== 'performance'),
);
hideMembers(vm, Reflect.ownKeys(vm));
syncBuiltinESMExports();
