/** What `JSON.parse` changes in silence: numbers that no double holds, and names given twice. */

/** A place in a JSON text, and what is wrong there. */
export interface JsonLoss {
  /** 1-based. */
  line: number
  found: string
  problem: string
}

const TOKEN = /"(?:[^"\\]|\\.?)*(?:"|$)|[{}[\]:]|-?\d[\d.eE+-]*/g

const NUMBER_CHANGES = 'this number would change: write it as a string'
const KEY_TWICE = 'this name stands twice in one object, and one value would be lost'

/** The first loss in a text that `JSON.parse` accepts; null when there is none. */
export function jsonLoss(text: string): JsonLoss | null {
  const open: (Set<string> | null)[] = []
  let latest = ''
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const loss = (problem: string): JsonLoss => ({
      line: lineAt(text, index),
      found: token,
      problem,
    })
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(null)
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      const keys = open.at(-1)
      const key = JSON.parse(latest) as string
      if (keys?.has(key) === true) return { ...loss(KEY_TWICE), found: latest }
      keys?.add(key)
    } else if (!token.startsWith('"') && !isExact(token)) return loss(NUMBER_CHANGES)
    latest = token
  }
  return null
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

/** Whether the number that is read has the digits that were written. */
function isExact(token: string): boolean {
  const value = Number(token)
  return Number.isFinite(value) && canonical(token) === canonical(String(value))
}

/** Significant digits and the power of ten of the last one: equal for equal decimal numbers. */
function canonical(number: string): string {
  const [mantissa = '', exponent = '0'] = number.replace('-', '').toLowerCase().split('e')
  const signed = number.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  let last = digits.length
  while (last > 0 && digits[last - 1] === '0') last--
  if (last === 0) return '0'
  return `${signed}${digits.slice(0, last)}e${Number(exponent) - fraction.length + digits.length - last}`
}
