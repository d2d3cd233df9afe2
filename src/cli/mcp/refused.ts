/** What a tool refuses, with a code for the program that called it. */
import { UserError } from '../../base/mistakes.ts'

/**
 * `budget`: too little is left. `target`: it was not named at the start. `program`: a scenario that
 * is code. `file`: outside of the working folder. `busy`: too many runs at once.
 */
type RefusalCode = 'budget' | 'target' | 'program' | 'file' | 'busy'

export class Refused extends UserError {
  override name = 'Refused'
  readonly code: RefusalCode

  constructor(code: RefusalCode, source: string, problem: string, found?: string) {
    super({ source, problem, ...(found === undefined ? {} : { found }) })
    this.code = code
  }
}
