/** No code looks into a sentence of crewload, and one that did would be noticed. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { sentenceBreaches } from './sentences.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

function sources(): Map<string, string> {
  const files = ['src', 'fake-crew', 'tools'].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.m?[jt]s$/.test(file))
      .map((file) => `${room}/${file.replaceAll('\\', '/')}`),
  )
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
}

function breachesOf(text: string): string[] {
  return sentenceBreaches(new Map([['src/result/planted.ts', text]])).filter(
    (breach) => !breach.endsWith(' needs no exception'),
  )
}

test('nothing is read back from a sentence, and every exception is needed', () => {
  expect(sentenceBreaches(sources())).toEqual([])
})

test.each([
  // A member or a variable, and what becomes of it.
  ["if (reason.message.startsWith('too few')) return 'wait'", 'message.startsWith('],
  ["const isLate = finding?.message?.includes('late')", 'message?.includes('],
  ['verdict.sentence.toLowerCase().match(/late/)', 'sentence.toLowerCase().match('],
  ['const [, kind] = /^(kickoff) spent$/.exec(record.reason) ?? []', '.exec(record.reason)'],
  ['return TOLD.test(why)', '.test(why)'],
  ['return told.includes(message.toLowerCase())', 'told.includes('],
  ["words.startsWith('wait')", 'words.startsWith('],
  ["text.startsWith('wait')", 'text.startsWith('],
  ["note.text.includes('late')", 'text.includes('],
  ["told.endsWith('.')", 'told.endsWith('],
  ["problem.indexOf('expected')", 'problem.indexOf('],
  ['/late/.test(said)', '.test(said)'],
  ["detail.includes('reset')", 'detail.includes('],
  ['cause.search(/[.!?] /)', 'cause.search('],
  ["title.toLowerCase().includes('crew')", 'title.toLowerCase().includes('],
  ["finding['message'].startsWith('a')", "['message'].startsWith("],
  ["row['text']!.includes('a')", "['text']!.includes("],
  ["sentence.slice(0, sentence.indexOf('. '))", 'sentence.slice('],
  ["point.sentence.replace(/\\.$/, '')", 'sentence.replace('],
  ["network.words.split(':')", 'words.split('],
  ['stopNote.match(/budget/)', 'stopNote.match('],
  // Under another name.
  ["const { message: m } = reason\nm.startsWith('a')", 'm.startsWith('],
  ["({ words: w }: Limit) => w.includes('a')", 'w.includes('],
  ["const known = reason.message\nreturn known.includes('a')", 'known.includes('],
  // What a function says.
  ["limitWords(limit).includes('at most')", 'limitWords(limit).includes('],
  ['/wait/.test(stopNote(run.stopped))', '.test(stopNote(run.stopped))'],
  ["told(limitOf(run, 1)).split(': ')", 'told(limitOf(run, 1)).split('],
  // What a formatter makes.
  ["formatMs(ms)\n    .replace(/\\.0+(?= )/, '')", 'formatMs(ms) .replace('],
  ["formatMs(feed.intervalMs).replace(/\\.0+ /, ' ')", 'formatMs(feed.intervalMs).replace('],
  ['UNIT.exec(formatValue(value, unit))', '.exec(formatValue(value, unit))'],
  ["shownBound(result).endsWith('ms')", 'shownBound(result).endsWith('],
  // Compared as a whole.
  ["comparison.name === 'time in the crew, p50'", "=== 'time in the crew, p50'"],
  ["'failed here' !== task.name", "'failed here' !=="],
  ['switch (reason.message) {', 'switch (reason.message)'],
  ["case 'it was too late':", "case 'it was too late':"],
  ['REMEDIES[message]', 'S[message]'],
  ['REMEDIES[finding.message]', 'S[finding.message]'],
  ['REMEDIES.get(reason.message)', '.get(reason.message)'],
  // With another text, or by whether there is one.
  ['simpler.words === runnerUp?.words', 'words === runnerUp?.words'],
  ['before.words !== limitWords(after)', 'words !== limitWords'],
  ["if (changeWords(metric) === null) return '?'", 'changeWords(metric) === null'],
  ['unclearText(whyOf(trial, 1)) !== undefined', 'unclearText(whyOf(trial, 1)) !== undefined'],
  ["if (words === '') return []", "words === ''"],
  ["return load === ''\n    ? null\n    : html`<b>${id}</b>`", "load === ''"],
  ["sees[0]?.name === '' ? 'at 3 % of noise' : 'by the spread'", "?.name === ''"],
  ["identified: learned.message !== ''", "learned.message !== ''"],
  // The sign of a verdict.
  ["if (sign === '?') return 'muted'", "=== '?'"],
  ["return sign === '=' ? 'good' : 'muted'", "=== '='"],
  ["signs.has('~') ? 'not proven' : ''", ".has('~')"],
  ["case '✗':", "case '✗':"],
  // As what a group has in common.
  [
    'groupedBy(trials, ({ why }) => (why === null ? null : unclearText(why)))',
    'groupedBy(… unclearText(why)',
  ],
  [
    'groupedBy(runs, (run) => JSON.stringify([run.outcome, firstReason(run)?.message]))',
    'groupedBy(… message',
  ],
  ["groupedBy(runs, ({ plan }) => differences(plan).join(', '))", 'groupedBy(… .join('],
  ['counted(findings.map(({ message }) => message))', 'counted(… message'],
])('a planted look into a sentence is caught: %s', (text, found) => {
  expect(breachesOf(text)).toContain(`src/result/planted.ts looks into a sentence: ${found}`)
})

test.each([
  "names.includes(name); reasons.includes(reason2); code.startsWith('a'); // message.match(x)",
  "kind === 'late'; TITLES[strip.why]; because.includes('a'); notes.slice(1)",
  'const { message: m } = reason; return { m, name: name.slice(1) }',
  "note === '' ? how : how + note; texts.filter((text) => text !== '')",
  "return load === ''\n    ? null\n    : html`<b>${load}</b>`",
  "change.words === null; endsOf(metric) === null; id === '.'; bound.comparison === '<'",
  'groupedBy(trials, ({ why }) => canonicalJson(why)).map(([, group]) => group[0].message)',
])('but not what is no sentence, or a code: %s', (text) => {
  expect(breachesOf(text)).toEqual([])
})

test('an exception that nothing needs is a breach', () => {
  const files = sources().set('src/run/scenario/load.ts', '')
  expect(sentenceBreaches(files)).toEqual(['src/run/scenario/load.ts needs no exception'])
})
