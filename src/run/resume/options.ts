/** The options of a resumption. */
import type { Scenario } from '../../scenario/define.ts'
import type { RunOptions } from '../options.ts'

/** Tokens, header values and certificates are stored nowhere, so they must be given again. */
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
  /** Base URL of the crew. Default: that of the run. */
  target?: string
  /**
   * The scenario, when it was moved or given as an object; it must make the same plan. Default: the
   * one that was run.
   */
  scenario?: string | Scenario
}
