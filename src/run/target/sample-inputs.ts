/** Inputs for a crew that nobody has written any for. */

/** For each name a value that says what it is: `{ "topic": "sample topic" }`. */
export function sampleInputs(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `sample ${name}`]))
}
