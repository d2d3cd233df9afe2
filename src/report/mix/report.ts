/**
 * The report of a mix as data: the worst part first, what the parts have in common, and the report
 * of each part as a chapter.
 */
import { placeText } from '../frame/place-text.ts'
import { distinct } from '../../execution/record/crew-place.ts'
import { formatCount, formatMs, lapseWords, plural, formatShare } from '../../base/numbers.ts'
import { MICROS_PER_MS, MICROS_PER_UNIT } from '../../base/units.ts'
import type { ResultDocument } from '../../result/document.ts'
import { sentOf } from '../../result/ending/outcome-counts.ts'
import type { MixDocument, PartResult } from '../../result/mix.ts'
import { moneyWords } from '../../result/metrics/sentences.ts'
import { plainText } from '../text/format.ts'
import type { Block, Headline, Report, Section } from '../frame/report.ts'
import type { TableCell } from '../text/table.ts'
import { causeOf } from '../run/cause.ts'
import type { Cause } from '../run/cause.ts'
import { runReport, validityWords, verdictWords } from '../run/report.ts'
import { checkTable } from '../run/sections/trust.ts'
import { metricText, findMetric } from '../run/sections/waits/rows.ts'
import { listed } from '../../base/text.ts'
import type { FairShare, Fairness } from '../../result/ledger/fairness.ts'
import { longWaitsOf } from '../../result/ledger/fairness.ts'
import { waitText } from '../../result/sentences/mix.ts'
import { columnsOf } from '../text/table.ts'

export function mixReport(document: MixDocument): Report {
  const { mix, parts, fairness, verdict } = document
  const worst = parts.find(({ part }) => part === verdict.worst)
  return {
    title: mix.name,
    headline: headlineOf(document, worst ?? null),
    reasons: [],
    lead: [
      partTable(parts),
      { kind: 'prose', as: 'about', text: mix.description, on: ['page'] },
      ...budgetBlocks(document),
    ],
    findings: document.findings,
    facts: [],
    sections: [...fairness.map(fairnessSection), trustSection(document)],
    parts: parts.map(partReport),
    files: FILES,
    command: mix.command,
    origin: originOf(document),
    cases: [],
  }
}

function headlineOf({ mix, parts, verdict }: MixDocument, worst: PartResult | null): Headline {
  const cause = worst === null ? null : causeOf(worst.result)
  const words = worst === null ? '' : causeWords(worst, cause)
  const passed = parts.filter(({ result }) => result.verdict.outcome === 'passed').length
  const lapse = lapseWords(mix.speed)
  const executions = parts.reduce((sum, { result }) => sum + sentOf(result).sent, 0)
  return {
    ...verdictWords(verdict),
    cause: words,
    sentence: cause?.remedy ?? '',
    load: [
      ...(mix.engine === 'virtual' ? ['simulated'] : []),
      plural(parts.length, 'part'),
      formatMs(mix.durationMs),
      plural(executions, 'execution'),
      ...(mix.stopped === null ? [] : [STOPPED[mix.stopped]]),
    ].join(', '),
    basis: [
      { text: `${passed} of ${plural(parts.length, 'part')} passed` },
      validityWords(verdict),
      ...(lapse === null ? [] : [{ text: `time-lapse: ${lapse}` }]),
    ],
  }
}

/** The load of a crew is that of all parts that send to it, whichever part it harms most. */
function causeWords({ part }: PartResult, cause: Cause | null): string {
  if (cause?.code === 'overload') return cause.words
  return `${plainText(part)}: ${cause?.words ?? 'see its chapter'}`
}

const STOPPED = {
  crashed: 'cut before its end',
  now: 'stopped at once',
  drained: 'stopped, and drained',
} as const satisfies Record<NonNullable<MixDocument['mix']['stopped']>, string>

function partTable(parts: readonly PartResult[]): Block {
  return {
    kind: 'table',
    columns: [
      { title: 'part' },
      { title: 'verdict' },
      { title: 'executions', kind: 'number' },
      { title: 'end to end p50', kind: 'unit' },
      { title: 'p95', kind: 'unit' },
      { title: 'met', kind: 'number' },
    ],
    rows: parts.map(({ part, result }): TableCell[] => {
      const { word, sign, tone } = verdictWords(result.verdict)
      return [
        plainText(part),
        { text: `${sign} ${word.toLowerCase()}`, tone },
        formatCount(sentOf(result).sent),
        ...(['p50', 'p95'] as const).map((name) =>
          metricText(findMetric(result, 'execution', name)),
        ),
        metWords(result),
      ]
    }),
    empty: null,
    stacks: true,
  }
}

/** `3 of 4`: thresholds. */
function metWords({ thresholds }: ResultDocument): string {
  const met = thresholds.filter(({ status }) => status === 'met')
  return `${met.length} of ${thresholds.length}`
}

function budgetBlocks({ budget, parts }: MixDocument): Block[] {
  const { kickoffs, requests, wallMicros, cost } = budget
  const [currency] = parts.flatMap(({ result: { plan } }) => plan.prices?.currency ?? [])
  const limits = [
    kickoffs === null ? null : plural(kickoffs, 'kickoff'),
    requests === null ? null : plural(requests, 'request'),
    wallMicros === null ? null : formatMs(wallMicros / MICROS_PER_MS),
    cost === undefined
      ? null
      : `a cost of ${moneyWords(cost.most / MICROS_PER_UNIT, currency ?? null)}`,
  ].filter((limit) => limit !== null)
  if (limits.length === 0) return []
  const text = `Budget of all parts together: ${limits.join(', ')}.`
  return [{ kind: 'prose', as: 'muted', text }]
}

function trustSection({ generator }: MixDocument): Section {
  const checks = generator.map(({ part, check }) => ({ check, name: `${check.name}, ${part}` }))
  const wrong = generator.filter(({ check }) => !check.ok).length
  const failed = plural(wrong, 'check failed', 'checks failed')
  return {
    chapter: 'Can we trust this',
    title: null,
    blocks: [
      {
        kind: 'prose',
        as: 'heading',
        text: wrong === 0 ? 'The generator kept up with all parts' : `${failed} of the generator`,
        on: ['page'],
      },
      {
        kind: 'fold',
        title: 'Of each check, the part that is furthest over its bound, or nearest to it',
        blocks: [checkTable(checks)],
      },
    ],
  }
}

function originOf({ mix, crewload, parts }: MixDocument): Report['origin'] {
  const { run } = parts[0]!.result
  const places = distinct(parts.map(({ result }) => result.run.place))
  return {
    target: places.map(placeText).join('; '),
    startedAt: mix.startedAt,
    ...(run.network === null ? {} : { virtual: 'undated' as const }),
    durationMs: mix.durationMs,
    tool: `crewload ${crewload}, mix ${mix.name}, engine ${mix.engine}, seed ${mix.seed}`,
  }
}

/** Its command and its files are those of the mix. */
function partReport({ part, result }: PartResult): Report {
  const report = runReport(result)
  return {
    ...report,
    title: part,
    sections: report.sections.map((section): Section => {
      const blocks = section.blocks.map((block) => withIds(block, part))
      return Object.assign({}, section, { blocks })
    }),
    files: [],
    command: null,
  }
}

/** Each figure of the page needs an id of its own. */
function withIds(block: Block, part: string): Block {
  switch (block.kind) {
    case 'figure':
      return { ...block, chart: { ...block.chart, id: `${part}-${block.chart.id}` } }
    case 'drawing':
      return { ...block, figure: { ...block.figure, id: `${part}-${block.figure.id}` } }
    case 'fold':
      return { ...block, blocks: block.blocks.map((each) => withIds(each, part)) }
    default:
      return block
  }
}

const FILES = [
  ['result.json', 'the result of each part, and what they have in common'],
  ['executions.ndjson', 'the journal of all parts: each line names its part'],
  ['summary.md', 'the report as Markdown'],
  ['comment.md', 'the short form, for a comment on a pull request'],
  ['junit.xml', 'a test suite for each part, for CI servers'],
] as const

const CHAPTER = 'Who waits for whom'

function fairnessSection({ parts, shares }: Fairness): Section {
  return { chapter: CHAPTER, title: null, blocks: blocksOf(parts, shares) }
}

function blocksOf(parts: readonly string[], shares: Fairness['shares']): Block[] {
  if (shares === null) {
    const names = listed(parts.map((part) => plainText(part)))
    const text = `How ${names} shared the crew is not known without a ledger.`
    return [{ kind: 'prose', text }]
  }
  const sentences = longWaitsOf(shares).map(waitText)
  const text = sentences.length === 0 ? 'Nobody waited long for a worker' : sentences.join('; ')
  return [
    { kind: 'prose', as: 'heading', text, on: ['page'] },
    shareTable(shares),
    {
      kind: 'prose',
      as: 'muted',
      text:
        'By the ledger, over the whole run. A waiting execution waits behind the parts that have ' +
        'the workers then, behind each by its share of them.',
    },
  ]
}

function shareTable(shares: readonly FairShare[]): Block {
  const busyMs = sumOf(shares, ({ busyMs: own }) => own)
  const waitMs = sumOf(shares, ({ waitMs: own }) => own)
  return {
    kind: 'table',
    columns: columnsOf(
      ['part'],
      [
        'executions',
        'of all work',
        'of all waiting',
        'mean wait',
        'longest wait',
        ...shares.map(({ part }) => `behind ${nameOf(part)}`),
      ],
    ),
    rows: shares.map((share) => [
      nameOf(share.part),
      formatCount(share.executions),
      shareText(share.busyMs, busyMs),
      shareText(share.waitMs, waitMs),
      formatMs(meanWaitMs(share)),
      formatMs(share.longestWaitMs),
      ...share.behind.map(({ ms }) => shareText(ms, share.waitMs)),
    ]),
    empty: null,
    stacks: true,
  }
}

function nameOf(part: string | null): string {
  return part === null ? 'others' : plainText(part)
}

function sumOf<T>(list: readonly T[], of: (each: T) => number): number {
  return list.reduce((sum, each) => sum + of(each), 0)
}

function shareText(part: number, whole: number): string {
  return formatShare(whole === 0 ? 0 : part / whole)
}

function meanWaitMs({ executions, waitMs }: FairShare): number {
  return executions === 0 ? 0 : waitMs / executions
}
