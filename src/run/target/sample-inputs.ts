/** Inputs for a crew for which nobody has written any. */

/** For each name, a value that contains the name: `{ "topic": "sample topic" }`. */
export function sampleInputs(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `sample ${name}`]))
}
