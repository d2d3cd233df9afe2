/**
 * The rules of the schema by which Jenkins' xunit plugin accepts a file (junit-10.xsd,
 * https://github.com/jenkinsci/xunit-plugin), and a reader of XML that is strict about what the
 * writer may get wrong.
 */

interface Rule {
  required: readonly string[]
  optional: readonly string[]
  children: readonly string[]
}

const RESULT: Rule = { required: [], optional: ['type', 'message'], children: [] }

const RULES: Readonly<Record<string, Rule>> = {
  testsuites: {
    required: [],
    optional: ['name', 'time', 'tests', 'failures', 'errors'],
    children: ['testsuite'],
  },
  testsuite: {
    required: ['name', 'tests', 'failures', 'errors'],
    optional: 'group time skipped timestamp hostname id package file log url'.split(' '),
    children: ['testsuite', 'properties', 'testcase', 'system-out', 'system-err'],
  },
  testcase: {
    required: ['name'],
    optional: ['time', 'classname', 'group'],
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
  },
  skipped: RESULT,
  error: RESULT,
  failure: RESULT,
}

/** The pattern of its type SUREFIRE_TIME. */
const TIME = /^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?$/

/** What is wrong with the file, one sentence each; empty when Jenkins accepts it. */
export function junitMistakes(xml: string): string[] {
  const mistakes: string[] = []
  const open: string[] = []
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n'
  if (!xml.startsWith(head)) mistakes.push('it has no XML declaration')
  const body = xml.slice(head.length)
  // What XML 1.0 does not allow as a character.
  if (/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(body))
    mistakes.push('it has a character that XML forbids')
  for (const [piece] of body.matchAll(/<[^<>]*>|[^<>]+|[<>]/g)) {
    const tag = /^<(\/?)([a-z-]+)((?: [a-z]+="[^"<>]*")*)(\/?)>$/.exec(piece)
    if (tag === null) {
      if (piece.trim() !== '') mistakes.push(`${piece.slice(0, 40)} is no element`)
      continue
    }
    const [, closing, name = '', attributes = '', alone] = tag
    if (closing === '/') {
      if (open.pop() !== name) mistakes.push(`</${name}> closes another element`)
      continue
    }
    mistakes.push(...elementMistakes(name, open.at(-1) ?? null, attributes))
    if (alone === '') open.push(name)
  }
  if (open.length > 0) mistakes.push(`${open.join(', ')} is not closed`)
  return mistakes
}

function elementMistakes(name: string, parent: string | null, attributes: string): string[] {
  const rule = RULES[name]
  if (rule === undefined) return [`<${name}> is not known`]
  const children = parent === null ? ['testsuites'] : (RULES[parent]?.children ?? [])
  const found = [...attributes.matchAll(/ ([a-z]+)="([^"]*)"/g)]
  const names = found.map(([, attribute = '']) => attribute)
  const known = new Set([...rule.required, ...rule.optional])
  return [
    ...(children.includes(name) ? [] : [`<${name}> is not allowed in <${parent}>`]),
    ...names.filter((own) => !known.has(own)).map((own) => `${own} is not allowed in ${name}`),
    ...rule.required.filter((own) => !names.includes(own)).map((own) => `${name} has no ${own}`),
    ...(new Set(names).size === names.length ? [] : [`${name} has an attribute twice`]),
    ...found.flatMap(([, attribute, value = '']) =>
      attribute === 'time' && !TIME.test(value) ? [`${value} is no time`] : [],
    ),
    ...found.flatMap(([, attribute, value = '']) =>
      /&(?!(amp|lt|gt|quot|apos);)/.test(value) ? [`${attribute} has a bare &`] : [],
    ),
  ]
}
