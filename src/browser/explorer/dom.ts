/** Elements made in a line. Texts become text nodes: nothing that a target said is ever markup. */

export type Child = Node | string | null

export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children.filter((child) => child !== null))
  return element
}

/** A label and its field. */
export function labelled(text: string, field: HTMLElement): HTMLLabelElement {
  return el('label', {}, text, field)
}

/** A command line with a button that copies it. */
export function command(text: string): HTMLElement {
  const button = el('button', { type: 'button', className: 'copy', textContent: 'Copy' })
  const line = el('pre', { className: 'command', tabIndex: 0, textContent: text })
  button.addEventListener('click', () => {
    void copied(line, text).then((done) => {
      button.textContent = done ? 'Copied' : 'Not copied'
    })
  })
  return el('div', {}, line, button)
}

/** A page that was opened as a file may have no clipboard but the old one. */
async function copied(line: HTMLElement, text: string): Promise<boolean> {
  const clipboard = navigator.clipboard as Clipboard | undefined
  const done = await clipboard?.writeText(text).then(
    () => true,
    () => false,
  )
  if (done === true) return true
  getSelection()?.selectAllChildren(line)
  return document.execCommand('copy')
}

/** A canvas for its width in the page, with sharp lines on any screen. */
export function prepared(canvas: HTMLCanvasElement, height: number): CanvasRenderingContext2D {
  const scale = devicePixelRatio
  const width = canvas.clientWidth
  canvas.style.height = `${height}px`
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  const pen = canvas.getContext('2d')!
  pen.scale(scale, scale)
  return pen
}

/** The page's colours, which follow light and dark. */
export function colorOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
}
