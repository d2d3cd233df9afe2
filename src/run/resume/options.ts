/** What a resumption is told. */
import type { Scenario } from '../../scenario/define.ts'
import type { RunOptions } from '../options.ts'

/** Tokens, header values and certificates are stored nowhere: they are given again. */
export interface ResumeOptions extends Pick<
  RunOptions,
  | 'tokens'
  | 'headers'
  | 'tls'
  | 'env'
  | 'signal'
  | 'onNote'
  | 'onTrouble'
  | 'onStart'
  | 'onProgress'
> {
  /** Base URL of the crew. Default: where the run found it. */
  target?: string
  /**
   * The scenario, where it is not where it was, or came as an object; it must make the same plan.
   * Default: the one that was run.
   */
  scenario?: string | Scenario
}
