/** Nothing is read back from a sentence that crewload made: finds code that looks into one. */
import type { Breach, FileMap } from './rules.ts'
import { codeWithStrings } from './source.ts'

/** What holds a sentence is named so, or ends with it: `limitWords`. */
const NAMES =
  'message sentence words note problem said told cause title remedy why reason advice hint detail'
const KINDS = NAMES.split(' ')
const CAPITALS = KINDS.map((kind) => kind.charAt(0).toUpperCase() + kind.slice(1))
const NAME = String.raw`(?:\b(?:${KINDS.join('|')})|\b\w+(?:${CAPITALS.join('|')}))\b`
/** Of these a table is read; a `why` is often a code. */
const KEY = NAME.replace('|why|', '|').replace('|Why|', '|')

/** What a formatter makes is as much a text of crewload. */
const FORMATTED = String.raw`\b(?:format[A-Z]\w*|digitsOf|elapsedLabel|\w+Bound)(?=\()`

/** Rooms that conclude and show: a text in them is crewload's own, and elsewhere it may be any. */
const CONCLUDES = /^src\/(?:result|report|study|ui)\//

const METHODS =
  '(?:startsWith|endsWith|includes|match|matchAll|search|indexOf|lastIndexOf|split|slice|' +
  'substring|substr|replace|replaceAll|charAt)'
const CALL = String.raw`(?:\((?:[^()]|\([^()]*\))*\))?`
const TRIMMED = String.raw`(?:[?!]|\.(?:trim|toLowerCase|toUpperCase)\(\))*`
const PATH = String.raw`(?:[\w?!]+\.)*`
/** A quoted text of several words. */
const SENTENCE = String.raw`(?:'[^'\n]*\w [^'\n]*'|"[^"\n]*\w [^"\n]*")`

/** Reads of what is named so: by methods, as an argument of them, by a switch or a table. */
function looksInto(name: string, key: string): RegExp {
  const held = String.raw`(?:(?:${name}|${FORMATTED})${CALL}|\['(?:${KINDS.join('|')}|text)'\])${TRIMMED}`
  const forms = [
    String.raw`${held}\s*\??\.${METHODS}\(`,
    String.raw`\.(?:test|exec|${METHODS})\(${PATH}${held}[,)]`,
    String.raw`\.(?:has|get)\(${PATH}${key}${TRIMMED}[,)]`,
    String.raw`\bswitch \(${PATH}${held}\)`,
    String.raw`\w\[${PATH}${key}${CALL}${TRIMMED}\]`,
    String.raw`[=!]==\s*${SENTENCE}`,
    String.raw`${SENTENCE}\s*[=!]==`,
    String.raw`\bcase ${SENTENCE}:`,
  ]
  return new RegExp(forms.join('|'), 'g')
}

/** `const { message: m } = reason`, `({ words: w }: Limit) =>`, `const m = reason.message`. */
const PATTERN = /\{(?<members>[^{}]*)\}\s*(?:=(?!=)|:|\)\s*(?:=>|:))/g
const RENAMED = new RegExp(String.raw`(?:${NAME}|\btext\b)\s*:\s*(?<alias>\w+)\s*(?=[,=]|$)`, 'g')
const ASSIGNED = new RegExp(
  String.raw`\b(?:const|let) (?<alias>\w+) = (?:[\w?!]+\.)+(?:${NAME}|text\b)(?=\s*[\n;])`,
  'g',
)

function aliasesIn(code: string): string[] {
  const members = [...code.matchAll(PATTERN)].map(({ groups }) => groups?.['members'] ?? '')
  const found = [...members.join(',').matchAll(RENAMED), ...code.matchAll(ASSIGNED)]
  return found.flatMap(({ groups }) => groups?.['alias'] ?? [])
}

/** Files and folders in which the text is not a sentence of crewload, and what it is. */
const OTHER_TEXTS: Readonly<Record<string, string>> = {
  'fake-crew/model/limits/': 'values of a profile',
  'fake-crew/model/parse.ts': 'of the YAML parser',
  'fake-crew/model/work/profile.ts': 'a value of a profile',
  'src/browser/ui.ts': 'what the reader types is sought in it',
  'src/cli/shared/study.ts': 'a note is shown once',
  'src/crew/dialects.ts': 'of the interface',
  'src/crew/inputs/refused.ts': 'of the platform',
  'src/host/k6/': "of k6's JavaScript engine",
  'src/host/node/failures.ts': 'of Node',
  'src/host/telemetry/losses.ts': 'of OpenTelemetry',
  'src/report/text/columns.ts': 'is laid out in columns',
  'src/report/text/format.ts': 'is shortened',
  'src/report/text/markup.ts': 'is laid out in lines',
  'src/report/frame/render/': 'is escaped, and laid out in lines',
  'src/run/environment/shortages.ts': 'of Node',
  'src/run/scenario/load.ts': 'of esbuild',
  'src/run/target/preflight.ts': 'of OpenSSL',
  'src/study/comparing/history.ts': 'of a file',
  'src/study/polling/plan/goal.ts': 'a promise as its author wrote it',
  'src/study/recovery/plan/trigger.ts': 'a trigger as its author wrote it',
  'src/study/saturation/plan/plan.ts': 'an option',
  'src/study/twin/analyse/write/yaml.ts': 'is laid out in lines',
  'tools/installs.mjs': 'of package managers',
  'tools/recipes/prove.mjs': 'names of tests',
}

export function sentenceBreaches(files: FileMap): Breach[] {
  const breaches = [...files].flatMap(([file, text]) => {
    const code = codeWithStrings(text)
    const names = [NAME, ...aliasesIn(code).map((alias) => String.raw`\b${alias}\b`)]
    const texts = CONCLUDES.test(file) ? String.raw`\btext\b` : String.raw`(?<=[\w)\]!?]\.)text\b`
    return [...code.matchAll(looksInto([...names, texts].join('|'), KEY))].map(([found]) => {
      return { file, found: found.replaceAll(/\s+/g, ' ') }
    })
  })
  const excepted = Object.keys(OTHER_TEXTS)
  const isExcepted = (file: string): boolean => excepted.some((place) => file.startsWith(place))
  return [
    ...breaches
      .filter(({ file }) => !isExcepted(file))
      .map(({ file, found }) => `${file} looks into a sentence: ${found}`),
    ...excepted
      .filter((place) => !breaches.some(({ file }) => file.startsWith(place)))
      .map((place) => `${place} needs no exception`),
  ]
}
