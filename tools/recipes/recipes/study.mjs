/** A study of how much runs of one scenario differ from seed to seed. */
import { deepEqual, equal, match } from 'node:assert/strict'

export const study = {
  headings: ['A study', 'The command of a study'],
  name: 'spread',
  files: {
    'src/study/spread/document.ts': `/** What a study of the spread measured, as zod shapes. */
import { z } from 'zod'
import { count, envelope, verdictOf } from '../frame/envelope.ts'
import { FINDINGS, REASONS } from './sentences.ts'

export const trialSchema = z.object({ seed: count, completed: count })

export const spreadSchema = z.object({
  ...envelope('spread', 1, FINDINGS),
  verdict: verdictOf(['measured'], REASONS),
  trials: z.array(trialSchema),
})

export type SpreadTrial = z.output<typeof trialSchema>
export type SpreadDocument = z.output<typeof spreadSchema>
`,
    'src/study/spread/sentences.ts': `/** What a study of the spread says. */
import { finding } from '../../result/sentence-tables.ts'
import { count } from '../frame/envelope.ts'

export const FINDINGS = {
  'no-spread': finding(
    'info',
    { completed: count },
    ({ completed }) => \`\${completed} executions completed with every seed: try another load\`,
  ),
}

export const REASONS = {}

export function spreadSentence(least: number, most: number): string {
  return \`From \${least} to \${most} executions completed.\`
}
`,
    'src/study/spread/options.ts': `/** What a study of the spread is told. */
import { profileName, wholeNumber } from '../../base/options/kinds.ts'
import type { OptionsOf, OptionTable } from '../../base/options/table.ts'
import { kept } from '../../base/options/table.ts'
import { OUT } from '../../run/options.ts'
import type { StudyOptions } from '../frame/conduct/conducting.ts'
import { SCENARIO } from '../frame/options.ts'

export const SPREAD = {
  scenario: SCENARIO,
  profile: kept('--profile <name|file>', 'the fake crew', profileName, { default: 'default' }),
  /** With the seeds from 1 on. */
  seeds: kept('--seeds <n>', 'trials', wholeNumber(1, 100), { default: 3 }),
  out: OUT,
} satisfies OptionTable

export interface SpreadPlan {
  scenario: string
  seeds: readonly number[]
}

export interface SpreadOptions extends OptionsOf<typeof SPREAD>, StudyOptions<SpreadPlan> {}
`,
    'src/study/spread/plan.ts': `/** Plans a study of the spread; sends nothing. */
import type { RunOptions } from '../../run/options.ts'
import { prepare } from '../../run/plan/prepare.ts'
import { loaded } from '../../run/scenario/load.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { SpreadOptions, SpreadPlan } from './options.ts'

export interface SpreadDesign {
  options: SpreadOptions
  facts: SpreadPlan
  plan: Plan
  trial: RunOptions
}

/** Throws UserError with every mistake. */
export async function designSpread(options: SpreadOptions): Promise<SpreadDesign> {
  const { scenario, profile = 'default', seeds: length = 3 } = options
  const trial: RunOptions = { profile, engine: 'virtual' }
  const plan = await prepare(loaded(scenario), trial)
  const seeds = Array.from({ length }, (_, i) => i + 1)
  return { options, facts: { scenario: plan.name, seeds }, plan, trial }
}
`,
    'src/study/spread/conduct.ts': `/** Conducts a study of the spread: a trial for each seed. */
import type { Conducting } from '../frame/conduct/conducting.ts'
import { plannedPlace } from '../../run/target/chosen-place.ts'
import { fingerprintOf } from '../frame/conduct/conducting.ts'
import { analyseSpread } from './analyse.ts'
import type { SpreadDocument, SpreadTrial } from './document.ts'
import { trialSchema } from './document.ts'
import type { SpreadOptions, SpreadPlan } from './options.ts'
import { SPREAD } from './options.ts'
import type { SpreadDesign } from './plan.ts'
import { designSpread } from './plan.ts'
import { spread } from './study.ts'

export const conducting: Conducting<SpreadOptions, SpreadDesign, SpreadPlan, SpreadDocument> = {
  study: spread,
  table: SPREAD,
  design: designSpread,
  plan: ({ facts }) => facts,
  name: ({ plan }) => \`\${plan.name}-spread\`,
  fingerprint: ({ plan, trial }) => fingerprintOf(plan, trial.profile),
  terms: ({ facts }) => ({
    simulated: true,
    budget: { requests: null, kickoffs: null },
    planned: facts.seeds.length,
    whenLost: 'begin it anew',
  }),
  measure: async ({ design, trials, facts }) => {
    const { options, plan, trial } = design
    const found: SpreadTrial[] = []
    for (const seed of design.facts.seeds) {
      const whole = await trials.measured(\`seed \${seed}\`, trialSchema, async (open) => {
        const end = await open.run({
          scenario: options.scenario,
          plan,
          changes: { seed },
          options: trial,
        })
        if (end === null || end.isCut) return null
        return { seed, completed: end.document.outcomes.completed }
      })
      if (whole === null) break
      found.push(whole)
    }
    return analyseSpread(design.facts, found, { ...facts(), place: plannedPlace(trial) })
  },
}
`,
    'src/study/spread/analyse.ts': `/** What the trials say together. */
import { findingOf } from '../../result/sentence-tables.ts'
import type { StudyFacts } from '../frame/envelope.ts'
import type { SpreadDocument, SpreadTrial } from './document.ts'
import type { SpreadPlan } from './options.ts'
import { FINDINGS, spreadSentence } from './sentences.ts'

export function analyseSpread(
  { scenario }: SpreadPlan,
  trials: readonly SpreadTrial[],
  facts: StudyFacts & Pick<SpreadDocument, 'place'>,
): SpreadDocument {
  const completed = trials.map((trial) => trial.completed)
  const [least, most] = [Math.min(...completed), Math.max(...completed)]
  const sentence = spreadSentence(least, most)
  return {
    schema: 'crewload/spread/1',
    study: 'spread',
    ...facts,
    verdict: { outcome: 'measured', sentence, reasons: [] },
    scenario,
    seed: null,
    findings: least === most ? [findingOf(FINDINGS, 'no-spread', { completed: least })] : [],
    trials: [...trials],
  }
}
`,
    'src/study/spread/study.ts': `/** The study of the spread: one scenario under several seeds. */
import { columnsOf, tableOf } from '../../report/text/table.ts'
import type { VerdictMark } from '../frame/study.ts'
import { studyOf } from '../frame/study.ts'
import type { SpreadDocument } from './document.ts'
import { spreadSchema } from './document.ts'
import type { SpreadPlan } from './options.ts'

const MEASURED: VerdictMark = { word: 'MEASURED', sign: '✓', tone: 'good', exit: 'passed' }

export const spread = studyOf<SpreadPlan, SpreadDocument>({
  name: 'spread',
  holds: 'how many executions of one scenario complete, from seed to seed',
  schema: spreadSchema,
  planText: ({ scenario, seeds }) => ({
    title: \`Plan of the spread of \${scenario}\`,
    rows: [['seeds', seeds.join(', ')]],
  }),
  mark: () => MEASURED,
  body: ({ scenario, trials }) => {
    const rows = trials.map(({ seed, completed }) => [String(seed), String(completed)])
    return {
      title: \`spread of \${scenario}\`,
      facts: [{ name: 'Trials', text: String(trials.length) }],
      sections: [
        { title: 'By seed', blocks: [tableOf(columnsOf([], ['seed', 'completed']), rows)] },
      ],
    }
  },
})
`,
  },
  lines: [
    {
      path: 'src/study/list.ts',
      before: '\ninterface ListedStudy',
      text: "import { spread } from './spread/study.ts'\n",
    },
    {
      path: 'src/study/list.ts',
      before: ']\n\nexport const STUDIES',
      text: "  listed(spread, async () => import('./spread/conduct.ts')),\n",
    },
    {
      path: 'src/cli/commands/studies.ts',
      before: '\nimport { TWIN }',
      text: "\nimport { SPREAD } from '../../study/spread/options.ts'",
    },
    {
      path: 'src/cli/commands/studies.ts',
      before: '\nfunction studyCommand<',
      text: `
export const spread = studyCommand({
  name: 'spread',
  description: 'how far runs lie apart from seed to seed',
  help: 'It runs one scenario under several seeds.',
  codes: {},
  table: SPREAD,
  reads: 'print the plan',
  options: async (asked) => asked,
  load: async () => (await import('../../study/spread/conduct.ts')).conducting,
})
`,
    },
    { path: 'src/cli/program.ts', before: '  twin,\n} from', text: '  spread,\n' },
    { path: 'src/cli/program.ts', before: '  fake,\n', text: '  spread,\n' },
  ],
  elsewhere: 15,
  tests: ['schemas/spread', 'every study has the same parts'],

  async prove({ cli, folder, found }) {
    const plan = await cli('spread', 'smoke', '--profile', 'fast', '--dry-run')
    match(plan.stdout, /Plan of the spread of smoke\n +seeds +1, 2, 3/)
    const run = await cli('spread', 'smoke', '--profile', 'fast', '--out', 'runs-spread')
    equal(run.code, 0)
    match(run.stdout, /MEASURED/)
    match(found('runs-spread', 'report.html'), /From 5 to 5 executions completed/)
    match(found('runs-spread', 'report.html'), /5 executions completed with every seed/)
    const document = JSON.parse(found('runs-spread', 'spread.json'))
    deepEqual(
      document.trials.map(({ seed }) => seed),
      [1, 2, 3],
    )
    match((await cli('schema', 'spread')).stdout, /"crewload\/spread\/1"/)
    match((await cli('report', folder('runs-spread'))).stdout, /MEASURED/)
  },
}
