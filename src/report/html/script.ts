/** The page's only script: a mark's values beside the pointer. Everything reads without it. */

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
    tip.style.left = Math.max(8, Math.min(event.clientX + 16, innerWidth - tip.offsetWidth - 8)) + 'px'
    tip.style.top = Math.max(8, event.clientY - tip.offsetHeight - 12) + 'px'
  })
  document.addEventListener('pointerleave', () => { tip.hidden = true })
})()
`
