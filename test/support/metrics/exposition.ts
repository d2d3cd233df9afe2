/**
 * A strict parser of Prometheus' text format 0.0.4: it accepts only what the format allows, each
 * series once, and every histogram with all its buckets.
 */

interface Sample {
  name: string
  labels: Readonly<Record<string, string>>
  value: number
}

export interface Family {
  type: string
  help: string
  samples: Sample[]
}

const HEAD = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)$/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y
const SUFFIX = /_(?:bucket|sum|count)$/

/** Throws for the first line that breaks the format. */
export function parseExposition(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const families = new Map<string, Family>()
  const seen = new Set<string>()
  for (const line of text.split('\n')) {
    if (line === '') continue
    const head = HEAD.exec(line)
    if (head !== null) {
      const [, kind, name = '', rest = ''] = head
      const family = families.get(name) ?? { type: 'untyped', help: '', samples: [] }
      if (kind === 'HELP') family.help = rest
      else family.type = rest
      families.set(name, family)
      continue
    }
    const sample = sampleOf(line)
    const family = families.get(sample.name) ?? families.get(sample.name.replace(SUFFIX, ''))
    if (family === undefined) throw new Error(`no head for ${line}`)
    const key = JSON.stringify([sample.name, Object.entries(sample.labels).map(String).sort()])
    if (seen.has(key)) throw new Error(`twice: ${line}`)
    seen.add(key)
    family.samples.push(sample)
  }
  for (const [name, family] of families) if (family.type === 'histogram') demandWhole(name, family)
  return families
}

/** The sum of the samples of this name whose labels have these values. */
export function sumOf(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const family = families.get(name) ?? families.get(name.replace(SUFFIX, ''))
  return (family?.samples ?? [])
    .filter((each) => each.name === name)
    .filter((each) => Object.entries(labels).every(([key, value]) => each.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0)
}

function sampleOf(line: string): Sample {
  const match = SAMPLE.exec(line)
  if (match === null) throw new Error(`not a sample: ${line}`)
  const [, name = '', inside = '', text = ''] = match
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < inside.length) {
    const label = LABEL.exec(inside)
    if (label === null) throw new Error(`not labels: ${line}`)
    labels[label[1]!] = label[2]!
  }
  const value = text === '+Inf' ? Infinity : Number(text)
  if (Number.isNaN(value)) throw new Error(`not a number: ${line}`)
  return { name, labels, value }
}

/** Throws unless the buckets grow up to `+Inf`, which equals the count. */
function demandWhole(name: string, { samples }: Family): void {
  for (const { labels, value } of samples.filter((each) => each.name === `${name}_count`)) {
    const buckets = samples.filter(
      (each) =>
        each.name === `${name}_bucket` &&
        JSON.stringify({ ...each.labels, le: '' }) === JSON.stringify({ le: '', ...labels }),
    )
    const counts = buckets.map((each) => each.value)
    const bounds = buckets.map((each) => Number(each.labels['le']!.replace('+Inf', 'Infinity')))
    if (!grows(counts) || !grows(bounds)) throw new Error(`${name}: buckets do not grow`)
    if (bounds.at(-1) !== Infinity || counts.at(-1) !== value) {
      throw new Error(`${name}: +Inf is not the count`)
    }
  }
}

function grows(values: readonly number[]): boolean {
  return values.every((value, i) => i === 0 || value >= values[i - 1]!)
}
