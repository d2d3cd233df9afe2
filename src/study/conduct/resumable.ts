/**
 * Studies that go on after a cut, by name, each loaded when it is needed. The others are begun
 * anew.
 */
import type { ResumeStudy } from '../frame/conduct/resume.ts'

export const RESUMABLE: Readonly<Record<string, () => Promise<ResumeStudy>>> = {
  recovery: async () => (await import('../recovery/conduct/conduct.ts')).resumeRecovery,
}
