/** Runs in the sandbox before the host: stops every clock of JavaScript, so that all calls see the same time. */
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import perfHooks from 'node:perf_hooks';
import vm from 'node:vm';

/** The same as in `python/fixed-clock.ts`: midnight of 1 January 2026, UTC. */
const NOW = Date.UTC(2026, 0, 1);

function put(object: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: true });
}

function putGetter(object: object, name: PropertyKey, get: (this: unknown) => unknown): void {
  Object.defineProperty(object, name, { get, configurable: true, enumerable: true });
}

/** What only measures time is taken away; so is `vm`, because each of its contexts has a clock of its own. */
function remove(object: object, names: readonly PropertyKey[]): void {
  const fixed = (name: PropertyKey): boolean => Object.getOwnPropertyDescriptor(object, name)?.configurable === false;
  for (const name of names) if (!fixed(name)) put(object, name, undefined);
}

const date = new Proxy(Date, {
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [NOW] : args, made) as Date,
  apply: () => new date().toString(),
});
put(Date, 'now', () => NOW);
put(Date.prototype, 'constructor', date);
put(globalThis, 'Date', date);

const shownTime = Intl.DateTimeFormat.prototype;
const { format, formatToParts } = Object.getOwnPropertyDescriptors(shownTime);
putGetter(shownTime, 'format', function (this: unknown) {
  const shown = Reflect.apply(format.get ?? (() => undefined), this, []) as (time: unknown) => string;
  return (time: unknown = NOW) => shown(time);
});
put(shownTime, 'formatToParts', function (this: unknown, time: unknown = NOW) {
  return Reflect.apply(formatToParts.value as (time: unknown) => unknown, this, [time]);
});

const measuring = Object.getPrototypeOf(performance) as object;
const names = Reflect.ownKeys(measuring).filter((name) => typeof name === 'string' && name !== 'constructor');
// Emptied and not removed: what is built into node calls some of them.
for (const name of names) put(measuring, name, () => undefined);
put(measuring, 'now', () => 0);
put(measuring, 'timeOrigin', NOW);
putGetter(Event.prototype, 'timeStamp', () => 0);
putGetter(File.prototype, 'lastModified', () => NOW);
put(
  process,
  'hrtime',
  Object.assign(() => [0, 0], { bigint: () => 0n }),
);
put(process, 'uptime', () => 0);
remove(process, ['cpuUsage', 'threadCpuUsage', 'resourceUsage', 'binding']);
remove(os, ['uptime', 'loadavg', 'cpus', 'freemem']);
remove(globalThis, ['PerformanceMark', 'PerformanceMeasure', 'PerformanceObserver']);
remove(
  perfHooks,
  Reflect.ownKeys(perfHooks).filter((name) => name !== 'performance'),
);
remove(vm, Reflect.ownKeys(vm));
syncBuiltinESMExports();
