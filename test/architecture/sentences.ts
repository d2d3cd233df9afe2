/** Nothing is read back from a sentence that crewload made: finds code that looks into one. */
import type { Breach, FileMap } from './rules.ts'
import { codeWithStrings } from './source.ts'

/** What holds a sentence is named so, or ends with it: `limitWords`. */
const NAMES =
  'message sentence words note problem said told cause title remedy why reason advice hint detail'
const KINDS = NAMES.split(' ')
const NAME = nameOf(KINDS)
/** Of these a table is read; a `why` is often a code. */
const KEY = nameOf(KINDS.filter((kind) => kind !== 'why'))
/** Sentences and nothing else: a `reason` has its code beside it, and a process may have `said` it. */
const TOLD = nameOf(KINDS.filter((kind) => !['why', 'reason', 'title', 'said'].includes(kind)))

function nameOf(kinds: readonly string[]): string {
  const capitals = kinds.map((kind) => kind.charAt(0).toUpperCase() + kind.slice(1))
  return String.raw`(?:\b(?:${kinds.join('|')})|\b\w+(?:${capitals.join('|')}))\b`
}

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

/** A sign of a verdict or a change, which stands for a code. */
const SIGN = "'[=?~!✓✗●]'"
const CALLED = String.raw`\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)`
/** What is said of a value: whether anything is, the value knows. */
const SAYS = String.raw`\b\w+(?:Words|Text|Sentence)${CALLED}`

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
    String.raw`${held}\s*[=!]==\s*${PATH}(?:${name}|${SAYS})`,
    String.raw`${SAYS}\s*[=!]==\s*(?:null|undefined)`,
    String.raw`[=!]==\s*${SIGN}|\.has\(${SIGN}\)|\bcase ${SIGN}:`,
  ]
  return new RegExp(forms.join('|'), 'g')
}

/**
 * Finds whether a text is empty, unless that decides only whether the text itself is shown:
 * `note === '' ? how : how + note`, or a condition by which texts are filtered.
 */
function emptyTexts(code: string, name: string): string[] {
  const form = new RegExp(String.raw`${PATH}(?<held>${name})${CALL}\s*[=!]== ''`, 'g')
  return [...code.matchAll(form)].flatMap(({ 0: found, index, groups }) => {
    const before = code.slice(0, index)
    const [choice = ''] = CHOICE.exec(code.slice(index + found.length)) ?? []
    const isShown = new RegExp(String.raw`\b${groups!['held']}\b`).test(choice)
    return isShown || (FILTERS.test(before) && found.includes('!==')) ? [] : found
  })
}

const CHOICE = /^\s*\?[^\n]*(?:\n\s*[?:][^\n]*)*/
const FILTERS = /=>\s*(?:\w+ !== null && )?$/

const GROUPS = /\b(?:groupedBy|counted)(?=\()/g
const ARGUMENTS = new RegExp(`^${CALLED}`)

/** Groups are of values: finds the keys that are texts, or joined to one. */
function groupsByTexts(code: string, key: string): string[] {
  const text = new RegExp(String.raw`(?:${key}|${SAYS}|\.join\()`)
  return [...code.matchAll(GROUPS)].flatMap(({ 0: name, index }) => {
    const [args = ''] = ARGUMENTS.exec(code.slice(index + name.length)) ?? []
    const [found] = text.exec(args) ?? []
    return found === undefined ? [] : `${name}(… ${found}`
  })
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

/**
 * Files and folders in which the text is not a sentence of crewload, and what it is; with what is
 * found there, where only that is none.
 */
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
  'src/report/frame/report.ts: block.text': 'an empty block is left out',
  'src/run/environment/shortages.ts': 'of Node',
  'src/run/scenario/load.ts': 'of esbuild',
  'src/run/target/preflight.ts': 'of OpenSSL',
  'src/study/comparing/history.ts': 'of a file',
  'src/study/polling/plan/goal.ts': 'a promise as its author wrote it',
  'src/study/recovery/plan/trigger.ts': 'a trigger as its author wrote it',
  'src/study/saturation/plan/plan.ts': 'an option',
  'src/study/twin/analyse/learn/learn.ts: counted(… message': 'of the crew',
  'src/study/twin/analyse/parts.ts: named.learned.remedy':
    'a row without a remedy is of a part that is known',
  'src/study/twin/analyse/write/yaml.ts': 'is laid out in lines',
  'src/ui/run-follower.ts: text': 'a line of a journal',
  'tools/installs.mjs': 'of package managers',
  'tools/recipes/prove.mjs': 'names of tests',
}

interface FoundText {
  file: string
  found: string
}

export function sentenceBreaches(files: FileMap): Breach[] {
  const breaches = [...files].flatMap(([file, text]) => {
    const code = codeWithStrings(text)
    const names = [NAME, ...aliasesIn(code).map((alias) => String.raw`\b${alias}\b`)]
    const texts = CONCLUDES.test(file) ? String.raw`\btext\b` : String.raw`(?<=[\w)\]!?]\.)text\b`
    const forms = looksInto([...names, texts].join('|'), KEY)
    const looks = [...code.matchAll(forms)].map(([found]) => found)
    // Where a page is made, a name or a load may be empty for none.
    const shown = CONCLUDES.test(file) ? String.raw`|\b(?:text|load|name)\b` : ''
    const all = [...looks, ...emptyTexts(code, TOLD + shown), ...groupsByTexts(code, TOLD)]
    return all.map((found) => ({ file, found: found.replaceAll(/\s+/g, ' ') }))
  })
  const excepted = Object.keys(OTHER_TEXTS)
  return [
    ...breaches
      .filter((breach) => !excepted.some((place) => isAt(breach, place)))
      .map(({ file, found }) => `${file} looks into a sentence: ${found}`),
    ...excepted
      .filter((place) => !breaches.some((breach) => isAt(breach, place)))
      .map((place) => `${place} needs no exception`),
  ]
}

/** `place`: the beginning of a path, or a file and what is found in it. */
function isAt({ file, found }: FoundText, place: string): boolean {
  return `${file}: ${found}`.startsWith(place)
}
