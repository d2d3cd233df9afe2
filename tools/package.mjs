/**
 * Makes what is published: `npm run package` writes the folder `package` and a tarball of it. The
 * manifest has neither scripts nor what only developers need. Its documents link to nothing that
 * the package does not hold, unless the address of the repository is known:
 * `npm run package -- https://github.com/OWNER/NAME`. `--out FOLDER` is where both go.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stdout } from 'node:process'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  options: { out: { type: 'string', default: root } },
  allowPositionals: true,
})
const [address] = positionals
const target = join(values.out, 'package')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const INSTALL = `\`\`\`console
$ npm install --save-dev crewload
$ npx --no -- crewload demo      # a run on a fake crew of your machine: half a minute, free
\`\`\`

You need Node 20.19 or newer. \`npx --no\` starts what is installed, and never fetches a package of that name.

`

const listed = npm(['pack', '--dry-run', '--json', '--ignore-scripts'])
const files = JSON.parse(listed)[0].files.map(({ path }) => path)
rmSync(target, { recursive: true, force: true })
for (const path of files) {
  mkdirSync(dirname(join(target, path)), { recursive: true })
  cpSync(join(root, path), join(target, path))
  if (path.endsWith('.md') || path === 'llms.txt') relink(path)
}
writeFileSync(join(target, 'package.json'), `${JSON.stringify(published(), null, 2)}\n`)
stdout.write(
  npm(['pack', '--silent', '--ignore-scripts', '--pack-destination', values.out, target]),
)

function npm(args) {
  return execFileSync('npm', args, { cwd: root, encoding: 'utf8' })
}

function published() {
  const developers = new Set(['scripts', 'devDependencies', 'knip'])
  const rest = Object.fromEntries(Object.entries(manifest).filter(([key]) => !developers.has(key)))
  if (address === undefined) return rest
  const repository = { type: 'git', url: `git+${address}.git` }
  return { ...rest, repository, homepage: `${address}#readme`, bugs: `${address}/issues` }
}

/** A link to what the package does not hold leads to the repository, or becomes its own text. */
function relink(path) {
  const written = readFileSync(join(root, path), 'utf8')
  const text = path === 'README.md' ? forUsers(written) : written
  const linked = text.replaceAll(
    /(!?)\[([^\][]*)\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)/g,
    (whole, image, label, link, anchor = '') => {
      const to = posix.normalize(posix.join(posix.dirname(path), link))
      if (files.includes(to)) return whole
      const way = `${address}/blob/v${manifest.version}/${to}${anchor}`
      return address === undefined ? label : `${image}[${label}](${way})`
    },
  )
  writeFileSync(join(target, path), linked)
}

/** How to begin, with a package in place of a clone. */
function forUsers(readme) {
  const clone = /```console\n\$ git clone [\s\S]*?```\n\n[\s\S]*?\n\n/
  if (!clone.test(readme)) throw new Error('README.md does not begin with a clone')
  return readme.replace(clone, INSTALL)
}
