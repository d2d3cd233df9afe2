/**
 * The page's only script: a mark's values beside the pointer, copy buttons, and expanded blocks in
 * print. Everything can be read without it.
 */

export const SCRIPT = `
(() => {
  const tip = document.createElement('div')
  tip.className = 'tip'
  tip.hidden = true
  document.body.append(tip)
  document.addEventListener('pointermove', (event) => {
    const mark = event.target.closest?.('[data-tip]')
    tip.hidden = !mark
    if (!mark) return
    tip.textContent = mark.dataset.tip
    const right = innerWidth - tip.offsetWidth - 8
    tip.style.left = Math.max(8, Math.min(event.clientX + 16, right)) + 'px'
    tip.style.top = Math.max(8, event.clientY - tip.offsetHeight - 12) + 'px'
  })
  document.addEventListener('pointerleave', () => { tip.hidden = true })
  const selected = (node) => {
    getSelection().selectAllChildren(node)
    return document.execCommand('copy')
  }
  for (const command of document.querySelectorAll('pre.command')) {
    const text = command.textContent
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      const done = await navigator.clipboard?.writeText(text).then(() => true, () => false)
      button.textContent = done || selected(command) ? 'Copied' : 'Not copied'
      setTimeout(() => { button.textContent = 'Copy' }, 2000)
    })
    command.after(button)
  }
  let opened = []
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('details:not([open])')]
    for (const fold of opened) fold.open = true
  })
  addEventListener('afterprint', () => {
    for (const fold of opened) fold.open = false
  })
})()
`
