/** What may happen to a file of a folder between the command that wrote it and one that reads it. */
import { execFileSync } from 'node:child_process'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import type { Random } from '../../../src/base/random.ts'

export interface Damage {
  name: string
  /** What is left may be a sound file that says something else: nobody can see that. */
  mayBeSound?: boolean
  make: (path: string, random: Random) => Promise<Left>
}

/**
 * `same`: a file that cannot be damaged in this way is as it was. `cut`: lines are missing at its
 * end, as a kill leaves it.
 */
type Left = 'same' | 'cut' | 'damaged'

export const DAMAGES: readonly Damage[] = [
  { name: 'deleted', make: instead(async () => {}) },
  { name: 'empty', make: rewritten(() => '') },
  { name: 'cut in half', make: rewritten((text) => text.slice(0, text.length / 2)) },
  { name: 'cut behind a line', make: lines((all, at) => all.slice(0, at)) },
  { name: 'without a line', make: lines((all, at) => all.toSpliced(at, 1)) },
  { name: 'with a line twice', make: lines((all, at) => all.toSpliced(at, 0, all[at]!)) },
  { name: 'with a line {}', make: lines((all, at) => all.with(at, '{}')) },
  { name: 'with a line 7', make: lines((all, at) => all.with(at, '7')) },
  { name: 'with a line null', make: lines((all, at) => all.with(at, 'null')) },
  { name: 'with its top bit flipped', make: bytes((byte) => byte ^ 0x80) },
  { name: 'with a low bit flipped', mayBeSound: true, make: bytes((byte) => byte ^ 0x01) },
  { name: 'with a huge number', mayBeSound: true, make: number('1e308') },
  { name: 'with a tiny number', mayBeSound: true, make: number('5e-324') },
  { name: 'with a negative number', mayBeSound: true, make: number('-1') },
  { name: 'of another version', make: rewritten((text) => text.replace(VERSION, '$1/99')) },
  { name: 'a folder', make: instead(async (path) => mkdir(path).then(() => {})) },
  { name: 'a named pipe', make: instead(async (path) => void execFileSync('mkfifo', [path])) },
  { name: 'a device', make: instead(async (path) => symlink('/dev/zero', path)) },
  { name: 'a link to itself', make: instead(async (path) => symlink(path, path)) },
]

/** For example `crewload/journal/1`. */
const VERSION = /(crewload\/[a-z-]+)\/\d+/

function instead(create: (path: string) => Promise<void>): Damage['make'] {
  return async (path) => {
    await rm(path)
    await create(path)
    return 'damaged'
  }
}

function rewritten(change: (text: string, random: Random) => string): Damage['make'] {
  return async (path, random) => {
    const text = await readFile(path, 'utf8')
    const changed = change(text, random)
    await writeFile(path, changed)
    if (changed === text) return 'same'
    return path.endsWith('.ndjson') && text.startsWith(changed) ? 'cut' : 'damaged'
  }
}

/** Changes one line of a file of JSON lines, or a file that is one JSON text as a whole. */
function lines(change: (all: string[], at: number) => string[]): Damage['make'] {
  return async (path, random) => {
    const isWhole = path.endsWith('.json')
    const text = await readFile(path, 'utf8')
    const all = isWhole ? [text.trimEnd()] : text.split('\n').slice(0, -1)
    if (!path.endsWith('json') || all.length === 0) return 'same'
    const at = random.int(all.length)
    const changed = change([...all], at)
    await writeFile(path, `${changed.join('\n')}\n`)
    const isCut = changed.every((line, i) => line === all[i] || i === all.length - 1)
    return !isWhole && isCut ? 'cut' : 'damaged'
  }
}

function bytes(change: (byte: number) => number): Damage['make'] {
  return async (path, random) => {
    const all = await readFile(path)
    if (all.length === 0) return 'same'
    const at = random.int(all.length)
    all[at] = change(all[at]!)
    await writeFile(path, all)
    const isLastLine = path.endsWith('.ndjson') && all.indexOf('\n', at) >= all.length - 1
    return isLastLine ? 'cut' : 'damaged'
  }
}

/** Replaces one number of a JSON text. */
function number(by: string): Damage['make'] {
  return rewritten((text, random) => {
    const found = [...text.matchAll(/(?<=[:[,])-?\d[\d.e+-]*(?=[,\]}])/g)]
    if (found.length === 0) return text
    const { index, 0: one } = random.pick(found)
    return text.slice(0, index) + by + text.slice(index + one.length)
  })
}
