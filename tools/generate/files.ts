/**
 * Every generated file of the repository and its text. `npm run generate` writes them; a test
 * compares them.
 */
import { profileJsonSchema } from '../../fake-crew/model/profile.ts'
import { journalJsonSchema, ledgerJsonSchema } from '../../src/journal/schema.ts'
import { mixJsonSchema, resultJsonSchema } from '../../src/result/json-schema.ts'
import { scenarioMixJsonSchema } from '../../src/scenario/schema/mix.ts'
import { scenarioJsonSchema } from '../../src/scenario/schema/scenario.ts'
import { studyJsonSchema } from '../../src/study/frame/study.ts'
import { STUDIES } from '../../src/study/list.ts'
import { AGENTS, agents, llms } from './agents.ts'
import { CHAOS_PROFILE, chaosProfile } from './chaos.ts'
import { DASHBOARD, dashboard } from './dashboard.ts'
import { reference } from './reference.ts'

const SCHEMAS = {
  profile: profileJsonSchema,
  scenario: scenarioJsonSchema,
  'scenario-mix': scenarioMixJsonSchema,
  result: resultJsonSchema,
  mix: mixJsonSchema,
  journal: journalJsonSchema,
  ledger: ledgerJsonSchema,
  ...Object.fromEntries(STUDIES.map((study) => [study.name, () => studyJsonSchema(study)])),
}

/**
 * The texts by path in the repository. `read` returns the text of a file that is partly generated.
 */
export function generatedFiles(read: (path: string) => string): Map<string, string> {
  const schemas = Object.entries(SCHEMAS).map(([name, schema]): [string, string] => [
    `schemas/${name}.schema.json`,
    `${JSON.stringify(schema(), null, 2)}\n`,
  ])
  return new Map([
    ...schemas,
    ['docs/reference.md', reference()],
    [AGENTS, agents(read)],
    ['llms.txt', llms(read)],
    [DASHBOARD, dashboard()],
    [CHAOS_PROFILE, chaosProfile(read(CHAOS_PROFILE))],
  ])
}
