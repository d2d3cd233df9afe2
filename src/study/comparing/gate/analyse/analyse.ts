/** Makes the document of a gate from its runs. */
import type { TrialReason } from '../../../frame/findings.ts'
import { findingsBy } from '../../../frame/findings.ts'
import type { ComparedSides } from '../../comparable.ts'
import { doubts, obstacles } from '../../comparable.ts'
import { changesBetween, metricsOf } from '../../compare.ts'
import type { StudyFacts } from '../../../frame/envelope.ts'
import type { GateDocument, GateTerms, Pair, RefusedRun } from '../document.ts'
import { FINDINGS } from '../document.ts'
import type { Decided } from './decide.ts'
import { decide, termsAt } from './decide.ts'
import { baselineVerdict, gateVerdict } from './verdict.ts'
import { listed } from '../../../../base/text.ts'

/** The runs that a gate has made and read so far. */
export interface Made {
  base: ComparedSides['base'][number][]
  new: ComparedSides['new'][number][]
  pairs: Pair[]
  refused: RefusedRun[]
}

interface GateAsked {
  judged: readonly string[]
  terms: GateTerms
  facts: StudyFacts
  place: Pick<GateDocument, 'target' | 'profile' | 'scenario' | 'seed' | 'commit'>
  invalid: readonly TrialReason[]
}

/** Returns what the look after `runs` runs per side decides; null if no look is planned there. */
export function lookAt(
  runs: number,
  made: Made,
  asked: Pick<GateAsked, 'judged' | 'terms'>,
): Decided['decision'] {
  const isLook = asked.terms.looks.some(({ at }) => at === runs)
  return isLook && obstacles(made).length === 0 ? decidedBy(made, asked).decision : null
}

/**
 * `baseline` is null without a stored one; its `written` says how many runs became the new one.
 * `gatesBefore`: if there was none to compare with, the number of gates in its history; null if
 * there was one.
 */
export function gateDocument(
  made: Made,
  asked: GateAsked,
  { baseline, gatesBefore }: { baseline: GateDocument['baseline']; gatesBefore: number | null },
): GateDocument {
  const { terms, facts, place, judged } = asked
  const hadNone = gatesBefore !== null
  const level = levelOf(made, terms)
  const decided = decidedBy(made, asked)
  const changes = changesBetween(made, judged, termsAt(level, terms))
  const { ended } = facts
  const own = { changes, ended, invalid: [...asked.invalid] }
  const reached = hadNone
    ? baselineVerdict(
        own,
        baseline !== null && baseline.written > 0 ? baseline.folder : null,
        gatesBefore,
      )
    : gateVerdict({ ...own, ...decided, obstacles: obstacles(made), level, terms })
  return {
    schema: 'crewload/gate/1',
    study: 'gate',
    ...facts,
    ...place,
    findings: [
      ...findingsBy(
        FINDINGS,
        [
          ['run-refused', ({ refused }) => refused.map(refusedWords)],
          ['metrics-unmeasured', (runs) => (hadNone ? unmeasuredBy(runs.new, judged) : null)],
        ],
        made,
      ),
      ...doubts(made, ['profiles']),
    ],
    ...reached,
    ...changes,
    terms,
    bounds: hadNone ? [] : decided.bounds,
    pairs: made.pairs,
    refused: made.refused,
    baseline,
  }
}

/**
 * Warns about judged metrics that no run of the new baseline measured, so that later gates could
 * not judge them.
 */
function unmeasuredBy(runs: Made['new'], judged: readonly string[]): string | null {
  const names = judged.filter((name) =>
    runs.every(({ result }) => (result.metrics[name]?.value ?? null) === null),
  )
  if (names.length === 0 || runs.length === 0) return null
  return (
    `no run measured ${listed(names)}, so that gates could not judge them: make the runs longer, ` +
    'or name other metrics with --metrics'
  )
}

function refusedWords({ run, why }: RefusedRun): string {
  return `${run} is not compared: ${why}`
}

function decidedBy(made: Made, { judged, terms }: Pick<GateAsked, 'judged' | 'terms'>): Decided {
  const level = levelOf(made, terms)
  return decide(metricsOf(made.base), metricsOf(made.new), judged, { level, terms })
}

/**
 * The level of this look. Between two planned looks it is that of the next one, which is then made
 * early.
 */
function levelOf({ new: next, refused }: Made, { looks }: GateTerms): number {
  const attempted = next.length + refused.filter(({ side }) => side === 'new').length
  return (looks.find(({ at }) => at >= attempted) ?? looks.at(-1)!).level
}
