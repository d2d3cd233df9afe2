/** Reaches the verdict over a twin. */
import { reasonOf } from '../../../result/coded.ts'
import type { TwinDocument, TwinPart } from '../document.ts'
import { REASONS, tooFewSentence, twinText } from '../sentences.ts'

type TwinVerdict = TwinDocument['verdict']
type TwinShown = Pick<TwinDocument, 'parts' | 'agreement' | 'source' | 'profile'>

export function reachVerdict(told: TwinShown): TwinVerdict {
  const { agreement, profile, parts } = told
  const unknown = parts.filter(({ identified }) => !identified)
  if (profile === null) {
    const tasks = unknown.filter(({ kind }) => kind === 'task')
    const reasons = tasks.map((part) => partReason('too-few', part))
    return { outcome: 'too-few', sentence: tooFewSentence(told.source), reasons }
  }
  const off = (agreement?.comparisons ?? []).filter(({ agrees }) => !agrees)
  const workers = parts.find(({ kind }) => kind === 'workers')
  const text = twinText({ ...told, estimate: workers?.estimate ?? null })
  if (agreement?.comparisons.length === 0) {
    return { outcome: 'too-few', ...text, reasons: [reasonOf(REASONS, 'not-compared')] }
  }
  return {
    outcome: off.length > 0 ? 'disagrees' : 'learned',
    ...text,
    reasons: [
      ...off.map((comparison) => reasonOf(REASONS, 'disagrees', { comparison })),
      ...unknown.filter(({ at }) => at !== null).map((part) => partReason('not-identified', part)),
    ],
  }
}

function partReason(code: 'too-few' | 'not-identified', { name, words, tells }: TwinPart) {
  return reasonOf(REASONS, code, { part: { name, words, tells } })
}
