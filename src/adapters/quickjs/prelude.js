/* Runs in QuickJS once, before its memory is saved: stops the clock, and gives clear errors for missing APIs. It evaluates to
   the functions that the thread calls. They are one closure, so that nothing of them can be reached from a component. */
// oxlint-disable max-lines-per-function, typescript/unbound-method
(() => {
  'use strict';
  const { apply, construct } = Reflect;
  const { parse, stringify } = JSON;
  const { defineProperty, keys } = Object;
  const { isFinite } = Number;
  const { imul } = Math;
  const { includes, slice } = String.prototype;

  const OWN = { writable: true, enumerable: true, configurable: true };
  const put = (object, name, value) => defineProperty(object, name, { value, writable: true, configurable: true });
  const NOW = Date.UTC(2026, 0, 1);
  const date = new Proxy(Date, {
    construct: (target, args, made) => construct(target, args.length === 0 ? [NOW] : args, made),
    apply: () => new date().toString(),
  });
  put(Date, 'now', () => NOW);
  put(Date.prototype, 'constructor', date);
  put(globalThis, 'Date', date);

  // The engine's own numbers would be the same in every call: its memory is. Seeded anew, chance stays chance.
  let dice = 0;
  put(Math, 'random', function random() {
    dice = (dice + 0x6d2b79f5) | 0;
    let mixed = imul(dice ^ (dice >>> 15), dice | 1);
    mixed ^= mixed + imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  });

  const copyOf = (value, seen) => {
    if (typeof value === 'function' || typeof value === 'symbol')
      throw new TypeError(String(value) + ' could not be cloned');
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    if (value instanceof Date) return new date(value.getTime());
    const made = Array.isArray(value) ? [] : value instanceof Map ? new Map() : value instanceof Set ? new Set() : {};
    seen.set(value, made);
    if (value instanceof Map) for (const [key, item] of value) made.set(copyOf(key, seen), copyOf(item, seen));
    else if (value instanceof Set) for (const item of value) made.add(copyOf(item, seen));
    // A key may be `__proto__`, which an assignment would take for the prototype.
    else for (const key of keys(value)) defineProperty(made, key, { value: copyOf(value[key], seen), ...OWN });
    return made;
  };
  put(globalThis, 'structuredClone', (value) => copyOf(value, new Map()));
  put(globalThis, 'queueMicrotask', (work) => void Promise.resolve().then(work));
  const silent = () => undefined;
  put(globalThis, 'console', { log: silent, info: silent, warn: silent, error: silent, debug: silent, table: silent });

  // As a global they would be undefined, and as a method they would answer otherwise than in node.
  const refuse = (name) => () => {
    throw new ReferenceError(name + ' is not there in QuickJS, which has the language alone; bubblewrap has it');
  };
  const absent =
    'process Buffer fetch require setTimeout setInterval setImmediate clearTimeout clearInterval Intl URL URLSearchParams TextEncoder TextDecoder crypto performance WebAssembly Worker AbortController AbortSignal Event EventTarget navigator atob btoa Temporal';
  for (const name of absent.split(' ')) defineProperty(globalThis, name, { get: refuse(name), configurable: true });
  const local = [
    [Number, 'toLocaleString'],
    [BigInt, 'toLocaleString'],
    [Array, 'toLocaleString'],
    [String, 'localeCompare'],
    [String, 'toLocaleLowerCase'],
    [String, 'toLocaleUpperCase'],
    [Date, 'toLocaleString'],
    [Date, 'toLocaleDateString'],
    [Date, 'toLocaleTimeString'],
  ];
  for (const [kind, name] of local) put(kind.prototype, name, refuse(name));

  const placeOf = (error, module) => {
    const found = /\(?([\w./-]+:\d+)(?::\d+)?\)?/.exec(
      String(error.stack)
        .split('\n')
        .find((line) => line.includes(module + ':')) ?? '',
    );
    return found === null ? '' : ' (' + found[1] + ')';
  };
  const describe = (error, module) => {
    try {
      if (!(error instanceof Error)) return apply(slice, String(error), [0, 2000]);
      return apply(slice, error.name + ': ' + error.message, [0, 2000]) + placeOf(error, module);
    } catch {
      return 'it threw something that cannot be shown';
    }
  };
  const finite = (key, value) => {
    if (typeof value === 'number' && !isFinite(value)) throw new RangeError((key === '' ? 'it' : key) + ' is ' + value);
    return value;
  };
  const holdsNoNumber = (value) => {
    if (typeof value === 'number') return !isFinite(value);
    if (typeof value !== 'object' || value === null) return false;
    const names = keys(value);
    for (let i = 0; i < names.length; i += 1) if (holdsNoNumber(value[names[i]])) return true;
    return false;
  };
  const jsonOf = (value) => {
    const text = stringify(value);
    const isSound = text === undefined || !apply(includes, text, ['null']) || !holdsNoNumber(value);
    return isSound ? text : stringify(value, finite);
  };
  const refusal = (kind, message) => '{"ok":false,"kind":"' + kind + '","message":' + stringify(message) + '}';

  const written = (value, args, { returnsArgs, maxChars, module }) => {
    let text;
    try {
      const json = jsonOf(value);
      text =
        '{"ok":true' +
        (returnsArgs ? ',"args":' + jsonOf(args) : '') +
        (json === undefined ? '' : ',"value":' + json) +
        '}';
    } catch (error) {
      return refusal('threw', 'the answer cannot be written as JSON: ' + describe(error, module));
    }
    if (text.length <= maxChars) return text;
    return refusal('too_large', 'the answer has ' + text.length + ' characters; at most ' + maxChars + ' are taken');
  };

  return {
    seed: (value) => void (dice = value | 0),
    readDice: () => dice,
    perform: async (exports, argsText, settingsText) => {
      const settings = parse(settingsText);
      const { module, name } = settings;
      const args = parse(argsText);
      const member = exports[name];
      if (member === undefined) return refusal('bad_module', module + ' has no export "' + name + '"');
      if (typeof member !== 'function') return written(member, args, settings);
      let value;
      try {
        value = await apply(member, undefined, args);
      } catch (error) {
        return refusal('threw', describe(error, module));
      }
      return written(value, args, settings);
    },
    // Where the syntax is wrong is found out by whoever has the file.
    unloadable: (error, module) => {
      const told = error instanceof SyntaxError ? 'SyntaxError: ' + error.message : describe(error, module);
      return refusal('bad_module', module + ' cannot be loaded: ' + told);
    },
  };
})();
