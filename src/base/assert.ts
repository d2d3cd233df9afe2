/** Assertions: they name a bug of ours, never a user's mistake or a target's misbehaviour. */

class Bug extends Error {
  override name = 'Bug'
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Bug(message)
}

/** Ends a `switch` over a closed union: the compiler proves that no case is left. */
export function unreachable(value: never): never {
  throw new Bug(`unexpected ${JSON.stringify(value)}`)
}
