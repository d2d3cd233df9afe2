/** Makes the profile of a twin and its document from what was learned of a crew. */
import type { KnownCrew } from '../../../execution/record/crew-place.ts'
import { timesByOf } from '../../frame/executions/reader.ts'
import type { CommonFacts } from '../../frame/conduct/past-runs.ts'
import { sumOf } from '../../../result/statistics/moments.ts'
import type { Cut } from '../../../result/sentences/early-ends.ts'
import { plural } from '../../../base/numbers.ts'
import { MICROS_PER_MINUTE } from '../../../base/units.ts'
import type { StudyFacts } from '../../frame/envelope.ts'
import type { FindingRule } from '../../../result/sentence-tables.ts'
import { findingsBy, reasonOf } from '../../../result/sentence-tables.ts'
import { lapseNote, lapseOf } from '../../frame/time-lapse.ts'
import type { Agreement, TwinPart, TwinDocument } from '../document.ts'
import {
  CREW_TIMES,
  FINDINGS,
  REASONS,
  agreementWords,
  tooFewSentence,
  twinText,
} from '../sentences/verdict.ts'
import { speedOf, takenOf } from './seen.ts'
import type { LearnedCrew } from './learn/learn.ts'
import { commentsOf, partsOf } from './parts.ts'
import type { SeenRun } from './seen.ts'
import type { WrittenTwin } from './write/profile.ts'
import { twinProfile } from './write/profile.ts'
import { yamlOf } from './write/yaml.ts'

export interface Twin {
  learned: LearnedCrew
  parts: readonly TwinPart[]
  /** Null if there are too few executions for a distribution of every task. */
  profile: WrittenTwin | null
}

export function twinOf(learned: LearnedCrew): Twin {
  const { runs, tasks } = learned
  const { ended } = sourceOf(runs)
  const profile = twinProfile(
    learned,
    `A twin, learned from ${plural(ended, 'execution')} of a crew`,
  )
  const isKnown = tasks.every(({ fit }) => fit !== null)
  return { learned, parts: partsOf(learned, profile), profile: isKnown ? profile : null }
}

/**
 * The text of the profile file, with a comment on how well each number is known; null without a
 * profile.
 */
export function fileOf(
  { learned, parts, profile }: Twin,
  agreement: Agreement | null,
): string | null {
  if (profile === null) return null
  const lapse = lapseNote(speedOf(learned.runs), CREW_TIMES)
  const head = [
    'Learned by crewload twin from recorded runs. Latencies include the network between crew and client.',
    ...(lapse === null ? [] : [lapse]),
    ...(agreement === null ? [] : [agreementWords(agreement)]),
  ]
  return yamlOf(profile, commentsOf(parts), head)
}

export interface AnalysedTwin {
  twin: Twin
  agreement: Agreement | null
  runs: readonly string[]
  /** The crews of the runs, each once. */
  crews: readonly KnownCrew[]
  /** Runs that were cut before their end. */
  cuts: readonly { run: string; cut: Cut }[]
  file: string | null
  facts: StudyFacts
  common: CommonFacts
}

export function twinDocument(analysed: AnalysedTwin): TwinDocument {
  const { twin, agreement, runs, file, facts } = analysed
  const { place, scenario, seed } = analysed.common
  const { parts, learned } = twin
  const source = sourceOf(learned.runs)
  const shown = { parts: [...parts], agreement, source, profile: fileOf(twin, agreement) }
  return {
    schema: 'crewload/twin/1',
    study: 'twin',
    ...facts,
    place,
    scenario,
    seed,
    findings: findingsBy(FINDINGS, RULES, analysed),
    verdict: reachVerdict(shown),
    runs: [...runs],
    file: shown.profile === null ? null : file,
    ...shown,
  }
}

const RULES: readonly FindingRule<typeof FINDINGS, AnalysedTwin>[] = [
  ['different-crews', differentCrews],
  ['run-cut', ({ cuts }) => cuts.map(({ run, cut }) => ({ run, open: cut.open }))],
  ['time-lapse', ({ twin }) => lapseOf(speedOf(twin.learned.runs))],
]

function differentCrews({ crews }: AnalysedTwin): { crews: KnownCrew[] } | null {
  return crews.length < 2 ? null : { crews: [...crews] }
}

function sourceOf(runs: readonly SeenRun[]): TwinDocument['source'] {
  const taken = runs.map(takenOf)
  const all = taken.flat()
  const spans = taken.map((run) => (run.at(-1)?.accepted ?? 0) - (run[0]?.accepted ?? 0))
  const span = sumOf(spans)
  return {
    executions: all.length,
    ended: all.filter(({ known }) => known !== null).length,
    truth: timesByOf(runs.map(({ truth }) => truth)),
    perMinute: span <= 0 ? null : (all.length * MICROS_PER_MINUTE * speedOf(runs)) / span,
  }
}

type TwinVerdict = TwinDocument['verdict']
type TwinShown = Pick<TwinDocument, 'parts' | 'agreement' | 'source' | 'profile'>

function reachVerdict(shown: TwinShown): TwinVerdict {
  const { agreement, profile, parts } = shown
  const unknown = parts.filter(({ identified }) => !identified)
  if (profile === null) {
    const tasks = unknown.filter(({ kind }) => kind === 'task')
    const reasons = tasks.map((part) => partReason('too-few', part))
    return { outcome: 'too-few', sentence: tooFewSentence(shown.source), reasons }
  }
  const off = (agreement?.comparisons ?? []).filter(({ agrees }) => !agrees)
  const workers = parts.find(({ kind }) => kind === 'workers')
  const text = twinText({ ...shown, estimate: workers?.estimate ?? null })
  if (agreement?.comparisons.length === 0) {
    return { outcome: 'too-few', ...text, reasons: [reasonOf(REASONS, 'not-compared', {})] }
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

function partReason(code: 'too-few' | 'not-identified', { name, learned }: TwinPart) {
  return reasonOf(REASONS, code, { part: name, learned })
}
