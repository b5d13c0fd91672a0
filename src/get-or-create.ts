/** Keeps what is made for a key: it is made at the first call, and found at every later one. */
type Kept<Key, Value> = { get: (key: Key) => Value | undefined; set: (key: Key, value: Value) => unknown };

export function getOrCreate<Key, Value extends object>(kept: Kept<Key, Value>, key: Key, create: () => Value): Value {
  const value = kept.get(key) ?? create();
  kept.set(key, value);
  return value;
}
