/** A function whose result for each argument is made once, when it is first asked for. */
export function once<Argument, Result>(
  make: (argument: Argument) => Result,
): (argument: Argument) => Result {
  const made = new Map<Argument, Result>()
  return (argument) => {
    if (!made.has(argument)) made.set(argument, make(argument))
    return made.get(argument)!
  }
}
