/** Code of a suite in a file of its own; a part of asserts-checker.js. */

/** Calls what a file of the suite exports: by name, itself, or by default. An exception in it fails the whole test. */
export async function callFile(load, [name, isModule], args) {
  const module = { exports: {} };
  await load(module, module.exports);
  const all = isModule ? module.exports : { default: module.exports };
  const main = all.default?.default || all.default || all;
  const found = name === null ? main : main[name];
  const called = typeof found === 'function' ? found : found?.default;
  if (typeof called !== 'function') throw new Error('the file of an assertion exports no such function');
  return called(...args);
}
