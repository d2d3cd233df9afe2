/** Compile-time proof that a schema and a type describe the same shape. */

/** Ignores `readonly`, which JSON cannot express. */
type Writable<T> = T extends (infer E)[] | readonly (infer E)[]
  ? Writable<E>[]
  : T extends object
    ? { -readonly [K in keyof T]: Writable<T[K]> }
    : T

/** `true` when each type can stand for the other, down to the leaves; else `false`. */
export type Exactly<A, B> = [Writable<A>] extends [Writable<B>]
  ? [Writable<B>] extends [Writable<A>]
    ? true
    : false
  : false

/** For `proven(true satisfies Exactly<A, B>)`, which compiles only when it holds. */
export function proven(_holds: true): void {}
