/** The options of a study's runs, from the options of the study. */
import type { Engine, EngineName } from '../../../run/options.ts'
import type { StudyOptions } from './conducting.ts'

/** The options without the functions through which a study tells and asks its caller. */
export function withoutHooks<Plan, Options extends StudyOptions<Plan>>(
  options: Options & StudyOptions<Plan>,
): Omit<Options, 'confirm' | 'onStart' | 'onProgress' | 'signal' | 'tell' | 'onStep'> {
  const {
    confirm: _c,
    onStart: _s,
    onProgress: _p,
    signal: _g,
    tell: _t,
    onStep: _o,
    ...others
  } = options
  return others
}

/** The engine of a run; virtual time simulates `network` between client and crew. */
export function engineOver(engine: EngineName, network: string | undefined): Engine | EngineName {
  if (engine !== 'virtual' || network === undefined) return engine
  return { kind: 'virtual', network }
}
