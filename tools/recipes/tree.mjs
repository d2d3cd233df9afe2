/** A copy of the repository in a temporary folder, and the operations of a proof on it. */
import { execFile } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execPath } from 'node:process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const start = promisify(execFile)
const MOST_OUTPUT = 64 * 1024 * 1024

export class Tree {
  constructor() {
    this.top = realpathSync(mkdtempSync(join(tmpdir(), 'crewload-recipes-')))
    this.root = join(this.top, 'crewload')
    this.work = join(this.top, 'work')
    mkdirSync(this.work)
  }

  /** Every file that is, or could be, committed; the packages are those of the original. */
  async copyFrom(original) {
    const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
    const { stdout } = await start('git', args, { cwd: original, maxBuffer: MOST_OUTPUT })
    for (const file of new Set(stdout.split('\0').filter((path) => path !== ''))) {
      if (!existsSync(join(original, file))) continue
      mkdirSync(dirname(join(this.root, file)), { recursive: true })
      copyFileSync(join(original, file), join(this.root, file))
    }
    symlinkSync(realpathSync(join(original, 'node_modules')), join(this.root, 'node_modules'))
  }

  read(path) {
    return readFileSync(join(this.root, path), 'utf8')
  }

  /** Throws when the file already exists. */
  create(path, text) {
    const file = join(this.root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text, { flag: 'wx' })
  }

  /**
   * Throws when the file does not contain `before`; with `after`, the text is inserted after it.
   */
  insert({ path, before, after = false, text }) {
    const whole = this.read(path)
    const at = whole.indexOf(before)
    if (at < 0) throw new Error(`${path} has no ${JSON.stringify(before)} any more`)
    const place = after ? at + before.length : at
    writeFileSync(join(this.root, path), whole.slice(0, place) + text + whole.slice(place))
  }

  /** Resolves to the output; rejects with the output when it fails. */
  async node(args, env = {}) {
    const options = {
      cwd: this.root,
      env: { ...process.env, ...env },
      maxBuffer: MOST_OUTPUT,
    }
    const { stdout } = await start(execPath, args, options).catch((error) => {
      error.message = `node ${args.join(' ')}\n${error.stdout}${error.stderr}`
      throw error
    })
    return stdout
  }

  /** The operations that a proof may use. */
  hands() {
    const inWork = (...path) => join(this.work, ...path)
    const folder = (out) => inWork(out, readdirSync(inWork(out))[0])
    const found = (out, file) => readFileSync(join(folder(out), file), 'utf8')
    const write = (name, text) => {
      writeFileSync(inWork(name), text)
      return inWork(name)
    }
    return {
      root: this.root,
      read: (path) => this.read(path),
      write,
      folder,
      found,
      /** A compiled module, by the path of its source. */
      load: async (path) =>
        import(pathToFileURL(join(this.root, 'dist', path.replace(/\.ts$/, '.js'))).href),
      /** The compiled program. */
      cli: async (...args) => this.#cli(args),
      /** The executions of the one run below `out`, in order. */
      records: (out) =>
        found(out, 'executions.ndjson')
          .split('\n')
          .filter((line) => line.startsWith('{"type":"ended"'))
          .map((line) => JSON.parse(line).record)
          .sort((a, b) => a.index - b.index),
      /** The file of a scenario with these options. */
      scenario: (options) => {
        const whole = { name: 'proof', inputs: { topic: 'x', audience: 'y' }, ...options }
        const text = `export default ${JSON.stringify(whole)}\n`
        return write(`scenario-${readdirSync(this.work).length}.mjs`, text)
      },
    }
  }

  async #cli(args) {
    const main = join(this.root, 'dist/bin/crewload.js')
    const options = { cwd: this.work, maxBuffer: MOST_OUTPUT }
    return start(execPath, [main, ...args], options).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    )
  }

  remove() {
    rmSync(this.top, { recursive: true, force: true })
  }
}
