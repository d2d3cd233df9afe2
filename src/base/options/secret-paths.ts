/** Which values of a scenario may be secret, or are their owner's: nothing shows or keeps them. */

const MEMBERS: ReadonlySet<string> = new Set(['headers', 'inputs', 'kickoff'])

/** `path`: of a value, as `--set` takes it. */
export function isSecretPath(path: string): boolean {
  const [member = '', part = 'answer'] = path.split(/[.[\]]/).filter((step) => step !== '')
  return MEMBERS.has(member) || (member === 'human' && part === 'answer')
}

/** The same for a mix, whose paths begin with the name of a part. */
export function isSecretPathOfPart(path: string): boolean {
  return isSecretPath(path.slice(path.indexOf('.') + 1))
}
