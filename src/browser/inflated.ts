/** Reads back what the maker of a page deflated. */

export async function inflated(base64: string): Promise<string> {
  const bytes = Uint8Array.from(atob(base64.trim()), (character) => character.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))
  return new Response(stream).text()
}
