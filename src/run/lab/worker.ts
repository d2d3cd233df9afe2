/** Runs what the sliders of the laboratory say, by the engine that `--engine virtual` has. */
import { checkProfile } from '../../../fake-crew/profiles.ts'
import type { ReadProfile } from '../../../fake-crew/profiles.ts'
import { formatMistake, UserError } from '../../base/mistakes.ts'
import { DEFAULT_NETWORK_NAME, networkNamed } from '../../host/virtual/index.ts'
import { isRefusal } from '../../crew/answer.ts'
import { html } from '../../report/text/markup.ts'
import { pageBlocks } from '../../report/frame/render/page-blocks.ts'
import { headParts } from '../../report/frame/report.ts'
import { runReport } from '../../report/run/report.ts'
import type { ResultDocument } from '../../result/document.ts'
import { simulatedBody } from '../bodies/virtual.ts'
import { carried } from '../carry.ts'
import type { LabAnswer, LabNumbers, LabOrder } from './settings.ts'
import { labProfile, labScenario } from './settings.ts'
import { planScenario } from '../../scenario/schema/index.ts'

/** What a worker of a browser has, and Node types do not. */
declare function addEventListener(
  kind: 'message',
  hear: (message: { data: LabOrder }) => void,
): void
declare function postMessage(answer: LabAnswer): void

const CHAPTERS = ['How long people wait', 'Over time', 'What went wrong', 'The cost of polling']

/** Node has it, and the loop of virtual time waits by it; browsers have messages. */
const turns = new MessageChannel()
const waiting: (() => void)[] = []
turns.port1.addEventListener('message', () => waiting.shift()?.())
turns.port1.start()
Object.assign(globalThis, {
  setImmediate: (act: () => void) => {
    waiting.push(act)
    turns.port2.postMessage(null)
  },
})

addEventListener('message', ({ data }) => {
  void answered(data).then((answer) => postMessage(answer))
})

async function answered({ settings, written }: LabOrder): Promise<LabAnswer> {
  try {
    const { seed } = settings
    const crew = labProfile(written, settings)
    const plan = planScenario(labScenario(settings, written), { source: 'lab' })
    const { profile } = checkProfile(crew as ReadProfile['written'], 'profile')
    const network = networkNamed(DEFAULT_NETWORK_NAME)
    const options = { engine: 'virtual', profile: 'lab', costPerKickoff: settings.price } as const
    const simulation = { profile: { ...profile, seed }, network }
    const body = simulatedBody(plan, options, simulation)
    const { document } = await carried(body, { options, reports: true }, null)
    return resultOf(document)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { kind: 'mistakes', mistakes: error.mistakes.map(formatMistake) }
  }
}

function resultOf(document: ResultDocument): LabAnswer {
  const report = runReport(document)
  const shown = report.sections.filter(
    (section) => 'chapter' in section && CHAPTERS.includes(section.chapter),
  )
  const chapters = CHAPTERS.map((name) => {
    const parts = shown.filter((section) => 'chapter' in section && section.chapter === name)
    return html`<section>
      <h2>${name}</h2>
      ${parts.map(({ blocks }) => pageBlocks(blocks))}
    </section>`
  })
  const { sign, word } = report.headline
  const beside = headParts(report.headline).find((text) => text !== '') ?? ''
  return {
    kind: 'result',
    numbers: numbersOf(document),
    verdict: `${sign} ${word}${beside === '' ? '' : `: ${beside}`}`,
    page: html`${chapters}`.text,
  }
}

function numbersOf(document: ResultDocument): LabNumbers {
  const { metrics, outcomes, arrivals, errors, run } = document
  const value = (name: string): number | null => {
    const measured = metrics[name]?.value ?? null
    return typeof measured === 'number' ? measured : null
  }
  return {
    p50: value('execution.p50'),
    p95: value('execution.p95'),
    arrivals,
    completed: outcomes.completed,
    failed: outcomes.failed,
    unserved: arrivals - outcomes.completed - outcomes.failed,
    backlog: value('inFlight.max') ?? 0,
    polls: value('polls.perExecution'),
    refused: errors
      .filter(({ answer }) => isRefusal(answer, false))
      .reduce((sum, e) => sum + e.count, 0),
    kickoffs: run.spent?.kickoffs ?? 0,
  }
}
