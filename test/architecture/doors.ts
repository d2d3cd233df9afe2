/** Tests reach a folder through its doors, so that moving a file moves no test. */
import { basename, dirname, join } from 'node:path/posix'
import type { Breach, FileMap } from './rules.ts'
import { isPartOfStudy } from './rules.ts'
import { importsOf } from './source.ts'

/** What tests import all the same, and why no door shows it. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'src/cli/mcp/documents.ts': 'hundreds of damaged results, one after the other',
  'src/host/k6/samples.ts': 'only a script inside k6 can load the file that uses it',
  'src/run/k6/output.ts': 'what k6 prints is heard from k6 alone',
  'src/study/capacity/analyse/verdict.ts': 'verdicts on figures that no search would find',
  'src/study/comparing/gate/conduct/started.ts': 'processes that a whole gate would wait for',
  'src/study/limits/analyse/infer/caveats.ts': 'bounds that few recordings come near',
  'src/study/limits/analyse/infer/learn.ts': 'searches that disagree, as few recordings make them',
  'src/study/limits/analyse/infer/search/moves.ts': 'windows that few recordings leave possible',
  'src/study/limits/conduct/prober.ts': 'budgets and answers that few experiments ask for',
  'src/study/limits/conduct/probing.ts': 'the times of a study that was resumed an hour later',
  'src/study/polling/analyse/families/hazard.ts': 'the least cost, among all choices of polls',
  'src/study/recovery/conduct/command-trigger.ts': 'processes that outlive the run that began them',
}

/**
 * The doors of a folder: its index, what code outside it imports, and of a study the parts whose
 * place its form fixes. `tools`: what makes files of ours from the code.
 */
function doorsOf(files: FileMap, tools: FileMap): ReadonlySet<string> {
  const own = [...files.keys()].filter(
    (file) => basename(file) === 'index.ts' || isPartOfStudy(file),
  )
  const imported = [...files, ...tools].flatMap(([file, text]) =>
    importedBy(file, text).filter((each) => dirname(each) !== dirname(file)),
  )
  return new Set([...own, ...imported])
}

function importedBy(file: string, text: string): string[] {
  return importsOf(text).map(({ specifier }) => join(dirname(file), specifier))
}

/** Every import of a test that passes a door by, and every exception that nothing needs. */
export function innerBreaches(files: FileMap, tools: FileMap, tests: FileMap): Breach[] {
  const doors = doorsOf(files, tools)
  const inner = [...tests].flatMap(([test, text]) =>
    importedBy(test, text)
      .filter((file) => files.has(file) && !doors.has(file))
      .map((file) => ({ test, file })),
  )
  const needed = new Set(inner.map(({ file }) => file))
  return [
    ...inner
      .filter(({ file }) => !(file in EXCEPTIONS))
      .map(({ test, file }) => `${test} imports ${file}, which is no door`),
    ...Object.keys(EXCEPTIONS)
      .filter((file) => !needed.has(file))
      .map((file) => `${file} needs no exception`),
  ]
}
