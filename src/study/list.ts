/**
 * Every study, one line each, with its resumption, which is loaded when needed. `crewload schema`,
 * `report` and `resume` use this list.
 */
import { capacity } from './capacity/study.ts'
import { comparison } from './comparing/comparison/study.ts'
import type { ResumeStudy } from './frame/conduct/resume.ts'
import type { AnyStudy } from './frame/study.ts'
import { gate } from './comparing/gate/study.ts'
import { history } from './comparing/history/study.ts'
import { limits } from './limits/study.ts'
import { polling } from './polling/study.ts'
import { recovery } from './recovery/study.ts'
import { saturation } from './saturation/study.ts'
import { twin } from './twin/study.ts'

interface ListedStudy {
  study: AnyStudy
  resume: () => Promise<ResumeStudy>
}

export const LISTED: readonly ListedStudy[] = [
  {
    study: saturation,
    resume: async () => (await import('./saturation/conduct/conduct.ts')).resumeSaturation,
  },
  {
    study: recovery,
    resume: async () => (await import('./recovery/conduct/conduct.ts')).resumeRecovery,
  },
  {
    study: limits,
    resume: async () => (await import('./limits/conduct/conduct.ts')).resumeLimits,
  },
  {
    study: polling,
    resume: async () => (await import('./polling/conduct/conduct.ts')).resumePolling,
  },
  {
    study: capacity,
    resume: async () => (await import('./capacity/conduct/conduct.ts')).resumeCapacity,
  },
  {
    study: comparison,
    resume: async () => (await import('./comparing/comparison/conduct.ts')).resumeComparison,
  },
  {
    study: gate,
    resume: async () => (await import('./comparing/gate/conduct.ts')).resumeGate,
  },
  {
    study: history,
    resume: async () => (await import('./comparing/history/conduct.ts')).resumeHistory,
  },
  {
    study: twin,
    resume: async () => (await import('./twin/conduct/conduct.ts')).resumeTwin,
  },
]

export const STUDIES: readonly AnyStudy[] = LISTED.map(({ study }) => study)
