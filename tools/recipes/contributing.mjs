/** Reads from CONTRIBUTING.md which files a recipe edits. */

/** Precedes a file that is only read: `as`, `as in`, `of`, `over`, `from`. */
const READ = /\b(?:as(?: in)?|of|over|from)\s+$/
/** A path of the repository: it contains a slash, and no blank. */
const PATH = /`(?<path>[\w.-]+(?:\/[\w.-]+)*\/[\w.-]*)`/g

/**
 * The paths that the recipe under `heading` edits, with `name` for NAME; a path that ends with `/`
 * is a folder, which stands for any file in it. Throws when there is no such recipe.
 */
export function editsNamed(contributing, heading, name) {
  const paragraph = contributing.split(/\n\n+/).find((text) => text.startsWith(`**${heading}.**`))
  if (paragraph === undefined) throw new Error(`CONTRIBUTING.md has no recipe "${heading}"`)
  return [...paragraph.matchAll(PATH)]
    .filter(({ index }) => !READ.test(paragraph.slice(0, index)))
    .map(({ groups }) => groups.path.replaceAll('NAME', name))
}

/** One sentence for each file that is edited and not named, or named and not edited. */
export function differences(named, edited) {
  return [
    ...edited
      .filter((file) => !named.some((path) => covers(path, file)))
      .map((file) => `${file} has to be edited, and the recipe does not name it`),
    ...named
      .filter((path) => !edited.some((file) => covers(path, file)))
      .map((path) => `the recipe names ${path}, and nothing has to be edited there`),
  ]
}

function covers(path, file) {
  return path.endsWith('/') ? file.startsWith(path) : file === path
}
