/** Objects without the keys that have no value: an optional key is absent, never `undefined`. */

/** `T` with every key that may be `undefined` made optional. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A copy of `value` without the keys whose value is `undefined`; the order of the others stays. */
export function omitUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Defined<T>;
}
