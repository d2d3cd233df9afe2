/** Follows what a mix left in flight to its end, or writes its reports again. */
import { distinct, endsWithRun, targetOf } from '../../execution/record/crew-place.ts'
import type { Mistake } from '../../base/mistakes.ts'
import { formatMistake, UserError } from '../../base/mistakes.ts'
import { NO_LIMITS } from '../../engine/sending-budget.ts'
import type { RunLine } from '../../execution/record/journal-lines.ts'
import { readPartNames, readRunLines } from '../../journal/reader.ts'
import { readUnfinished } from '../../journal/unfinished.ts'
import type { Ledger } from '../../result/ledger/reconcile.ts'
import type { MixDocument, PartResult } from '../../result/mix.ts'
import { mixDocument, mixOf } from '../../result/mix.ts'
import { sumBy } from '../../result/statistics/moments.ts'
import type { Body } from '../bodies/body.ts'
import type { RunFolder } from '../folder/folder.ts'
import { partsOfName } from '../folder/folder.ts'
import { inFolder } from '../folder/stop.ts'
import { formerResult, journalIn, readLedger } from '../folder/stored.ts'
import { mergedRuns } from '../merge.ts'
import type { ResumeOptions, RunOptions } from '../options.ts'
import { planOf } from '../plan/prepare.ts'
import type { Recipe } from '../plan/recipe.ts'
import { contextOf, runOptionsAgain, readRecipe, recipeWords } from '../plan/recipe.ts'
import { openResumedBody, samePlan, scenarioAgain } from '../resume/index.ts'
import type { Survey } from '../resume/survey.ts'
import { surveyPart } from '../resume/survey.ts'
import { loaded } from '../scenario/load.ts'
import type { MixOutcome } from './carry.ts'
import { carriedMix, fairnessOf, withHooks } from './carry.ts'
import type { OrderedMix, OrderedPart } from './parts.ts'
import { budgetTogether, orderMix } from './parts.ts'
import type { Reported } from '../reports.ts'
import { ledgerPrefix, tryMixReports } from './reports.ts'
import type { PreparedPart } from '../bodies/together.ts'
import { Together } from '../bodies/together.ts'

/** The recipe of a mix; null for the folder of anything else. */
export async function mixRecipe(folder: string): Promise<Recipe | null> {
  const recipe = await readRecipe(folder).catch(() => null)
  return recipe?.mix === true ? recipe : null
}

export interface ResumedMix extends MixOutcome {
  /** As of a run that is resumed, of all parts. */
  unheard: readonly string[]
}

/** As `resume`, of which it is the form for a mix. */
export async function resumeMix(folder: string, options: ResumeOptions = {}): Promise<ResumedMix> {
  const journal = await journalIn(folder)
  return inFolder(folder, options, async (given) => resumedMix({ path: folder, journal }, given))
}

async function resumedMix(runFolder: RunFolder, given: ResumeOptions): Promise<ResumedMix> {
  const { path: folder } = runFolder
  const recipe = await readRecipe(folder)
  const { scenario: _, ...own } = given
  const asked: RunOptions = {
    ...own,
    ...runOptionsAgain(recipe, own, folder),
    ...(recipe?.command == null ? {} : { command: recipe.command }),
  }
  const ordered = orderMix(await loaded(scenarioAgain({ recipe, folder }, given)), asked)
  const surveyed = await surveyedParts(folder, ordered)
  const mix = { ...ordered, budget: budgetTogether(ordered, surveyed, asked) }
  const isOpen = surveyed.map(({ survey }) => survey.instances.length > 0)
  const loads = isOpen.filter((each) => each).length
  if (loads === 0) {
    const problem = 'has nothing to resume: every execution has ended'
    throw new UserError({ source: folder, problem })
  }
  const together = new Together(surveyed.length)
  const requests = sumBy(surveyed, ({ survey }) => survey.requestsSpent)
  const spent = { kickoffs: 0, requests }
  const parts = withHooks({ ...mix, parts: surveyed }, asked, { together, loads, spent })
  const unused: Mistake[] = []
  const ran = surveyed.map(({ survey }) => survey.run)
  const { crews, ledgers } = await stageOf(folder, ran, unused)
  for (const mistake of unused) asked.onNote?.(formatMistake(mistake))
  const bodies: Body[] = []
  const close = async (): Promise<void> => {
    for (const body of bodies) await body.close()
  }
  try {
    for (const [i, { survey, plan }] of surveyed.entries()) {
      const { options: theirs } = parts[i]!
      const body = isOpen[i]!
        ? await openResumedBody(survey, plan, theirs)
        : new EndedBody(survey.run, ledgers[i]!)
      bodies.push(body)
    }
    const opened = { bodies, crews, close }
    const carrying = { parts, opened, together, facts: mix, options: asked }
    const outcome = await carriedMix(carrying, runFolder)
    return { ...outcome, unheard: surveyed.flatMap(({ survey }) => survey.unheard) }
  } finally {
    await close()
  }
}

interface SurveyedPart extends PreparedPart {
  survey: Survey
}

async function surveyedParts(folder: string, { parts }: OrderedMix): Promise<SurveyedPart[]> {
  const surveyed: SurveyedPart[] = []
  for (const part of parts) surveyed.push(await surveyedPart(folder, part))
  return surveyed
}

async function surveyedPart(
  folder: string,
  { scenario, ...part }: OrderedPart,
): Promise<SurveyedPart> {
  const survey = await surveyPart(folder, part.name)
  const from = await scenario()
  const plan = samePlan(await planOf(from, part.options, 'measured'), survey.run, from.source)
  return { ...part, plan, survey }
}

/** A part with nothing left to follow. */
class EndedBody implements Body {
  readonly continues = true
  readonly runId: string
  readonly target: string
  readonly ownCrew: boolean
  readonly hasLedger: boolean
  readonly #ledger: Ledger | null

  constructor({ runId, place }: RunLine, ledger: Ledger | null) {
    this.runId = runId
    this.target = targetOf(place) ?? ''
    this.ownCrew = endsWithRun(place)
    this.hasLedger = ledger !== null
    this.#ledger = ledger
  }

  async carry(): Promise<Ledger | null> {
    return this.#ledger
  }

  async close(): Promise<void> {}
}

/** Which crew each part loads, as when it was run, and the ledger of it that was stored. */
async function stageOf(
  folder: string,
  runs: readonly RunLine[],
  unused: Mistake[],
): Promise<{ crews: number[]; ledgers: (Ledger | null)[] }> {
  const targets = runs.map(({ place }) => targetOf(place))
  const known = distinct(targets)
  const crews = targets.map((target) => known.indexOf(target))
  const stored: (Ledger | null)[] = []
  for (const [crew] of known.entries()) {
    stored.push(await readLedger(folder, unused, ledgerPrefix(crew)))
  }
  return { crews, ledgers: crews.map((crew) => stored[crew]!) }
}

/** Without it the part would be missing in a verdict that is the worst of all parts. */
async function headlessPart(journal: string, part: string): Promise<UserError> {
  const { damage } = await readUnfinished(journal, part)
  const line = damage === null || damage.isTail ? {} : { line: damage.line }
  const why = damage === null ? 'is missing' : 'cannot be read'
  const problem = `the first line of part ${part} ${why}, and nothing can be said without it: restore the line from a copy`
  return new UserError({ source: journal, ...line, problem })
}

export interface RenderedMix extends Reported<MixDocument> {
  /** Parts whose last lines are missing. */
  cut: readonly string[]
  /** As of a stored run. */
  unused: readonly Mistake[]
}

/**
 * Makes the result and the reports again, from the journal and the ledgers. Where a part was cut,
 * nothing is written unless it is to be recovered.
 */
export async function renderMix(folder: string, recover: boolean): Promise<RenderedMix> {
  const journal = await journalIn(folder)
  const runs = (await readRunLines(journal)).filter(({ part }) => part !== undefined)
  if (runs.length === 0) {
    throw new UserError({ source: journal, problem: 'has no first line of a part' })
  }
  const recipe = await readRecipe(folder)
  const unused: Mistake[] = []
  const stored = await formerResult(folder, mixDocument, unused)
  const storedParts = stored?.parts.map(({ part }) => part) ?? []
  for (const part of new Set([...(await readPartNames(journal)), ...storedParts])) {
    if (!runs.some((run) => run.part === part)) throw await headlessPart(journal, part)
  }
  const { crews, ledgers } = await stageOf(folder, runs, unused)
  const parts = runs.map(({ part }) => ({ name: part! }))
  const results: PartResult[] = []
  for (const [i, { name: part }] of parts.entries()) {
    const known = stored?.parts.find((each) => each.part === part)?.result
    const context = known === undefined ? await recipeWords(folder) : contextOf(known)
    const options = { ...context, part, ledger: ledgers[i]! }
    const { document } = await mergedRuns([journal], options)
    results.push({ part, result: document })
  }
  const document = mixOf(results, {
    name: stored?.mix.name ?? partsOfName(folder).scenario,
    description: stored?.mix.description ?? '',
    seed: stored?.mix.seed ?? recipe?.options.seed ?? 0,
    budget: stored?.budget ?? { ...NO_LIMITS, wallMicros: null },
    fairness: fairnessOf(parts, { crews, bodies: runs }, ledgers),
  })
  const cut = results.flatMap(({ part, result }) => (result.run.stopped === 'crashed' ? part : []))
  if (cut.length > 0 && !recover) return { document, unwritten: null, cut, unused }
  return { ...(await tryMixReports(folder, document, { ledgers, crews })), cut, unused }
}
