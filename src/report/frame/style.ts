/** The page's style sheet: one spacing unit of 8 px, hairlines, no boxes in boxes. */
import { customProperties, DARK, LIGHT } from '../charts/palette.ts'

export const STYLE = `
:root{color-scheme:light dark;${customProperties(LIGHT)}}
@media (prefers-color-scheme:dark){:root{${customProperties(DARK)}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
main{max-width:1136px;margin:0 auto;padding:32px 48px 64px}
h1{font-size:24px;line-height:1.3;margin:8px 0;letter-spacing:-.01em;font-weight:650;text-wrap:balance}
h2{font-size:14px;line-height:24px;font-weight:600;margin:56px 0 0;padding-top:16px;border-top:1px solid var(--hair);color:var(--muted)}
h3{font-size:21px;line-height:1.3;font-weight:600;margin:8px 0 4px;max-width:42em;text-wrap:balance}
.part{font-size:16px;font-weight:600;margin:32px 0 8px}
p{margin:0 0 8px;max-width:68ch;text-wrap:pretty}
.lede{font-size:18px;line-height:1.4;margin:0 0 16px;max-width:42em}
.caption,.muted{color:var(--muted)}
.caption{margin-bottom:16px}
.verdict{display:flex;flex-wrap:wrap;gap:8px 24px;align-items:baseline;margin:0 0 16px;font-weight:600;max-width:none}
.about{margin:16px 0 0}.load{margin:0 0 16px;max-width:none}details.met{margin:0 0 16px}
a{color:var(--endToEnd)}
.good{color:var(--good)}.bad{color:var(--bad)}.doubt{color:var(--doubt)}
.reasons{margin:0 0 16px;padding-left:20px;max-width:68ch}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,220px),1fr));gap:8px 32px;margin:24px 0}
.facts dt{color:var(--muted);font-size:14px;line-height:20px}.facts dd{margin:0}
figure{margin:24px 0 40px}
svg{display:block;width:100%;height:auto;overflow:visible}
svg.patterns{position:absolute;width:0;height:0}
svg.w640,svg.w1040{display:none}
svg.w344{max-width:520px}
@media (min-width:640px){svg.w344{display:none}svg.w640{display:block;max-width:860px}}
@media (min-width:1000px){svg.w640{display:none}svg.w1040{display:block}}
svg text{font-size:13px;fill:var(--ink)}
svg .axis text,svg .quiet{fill:var(--muted)}
svg .panel,svg .strong{font-weight:600}
svg .grid{stroke:var(--hair);fill:none}
svg .base{stroke:var(--grey);fill:none}
svg .halo{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}
details{margin:8px 0}
summary{cursor:pointer;color:var(--muted);padding:4px 0;width:fit-content}
summary:hover{color:var(--ink)}
summary:focus-visible,.scroll:focus-visible,pre:focus-visible{outline:2px solid var(--endToEnd);outline-offset:2px}
.scroll{overflow-x:auto;margin:8px 0 16px}
table{border-collapse:collapse;font-size:15px;line-height:24px}
th,td{padding:4px 24px 4px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--hair);overflow-wrap:normal}
th{font-weight:600;color:var(--muted);white-space:nowrap;font-size:14px}
th.number,td.number{text-align:right;white-space:nowrap}
td.code,code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:14px}
td:last-child,th:last-child{padding-right:0}
td.text{min-width:9ch;max-width:56ch}
td.code{max-width:64ch;overflow-wrap:anywhere;min-width:20ch}
td.word{white-space:nowrap}
.gates tbody{border-bottom:1px solid var(--hair)}.gates td{border:0}.gates td.bound{white-space:nowrap}
.origin{display:block;color:var(--muted);font-size:14px;line-height:20px}
.gates td.hint{max-width:68ch;padding-top:0;color:var(--muted)}
pre{background:var(--soft);padding:16px;overflow-x:auto;margin:8px 0;white-space:pre}
nav{display:flex;flex-wrap:wrap;gap:8px 24px;margin:32px 0 0;padding-top:16px;border-top:1px solid var(--hair)}
nav a{text-decoration:none}nav a:hover,nav a:focus-visible{text-decoration:underline}
pre.command{margin-bottom:0}
.copy{font:inherit;font-size:14px;line-height:20px;margin:8px 0;padding:4px 12px;color:var(--ink);background:var(--paper);border:1px solid var(--grey);border-radius:4px;cursor:pointer}
.copy:hover{background:var(--soft)}.copy:focus-visible,nav a:focus-visible{outline:2px solid var(--endToEnd);outline-offset:2px}
.whole{white-space:nowrap}
.advice{border-left:3px solid var(--endToEnd);padding-left:16px;margin:16px 0}
.advice.problem{border-color:var(--bad)}.advice.warning{border-color:var(--doubt)}
svg.margin{display:inline-block;width:140px;height:14px;vertical-align:-1px}
.tip{position:fixed;z-index:1;pointer-events:none;background:var(--ink);color:var(--paper);padding:4px 8px;font-size:14px;line-height:20px;max-width:320px}
.explored>svg,.explored>details,.explored>.caption{display:none}
.explorer canvas{display:block;width:100%;margin:8px 0}.explorer canvas.brush{height:48px;cursor:crosshair;touch-action:none}.explorer canvas:focus-visible{outline:2px solid var(--endToEnd);outline-offset:2px}
.choose{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:end;margin:16px 0 8px}.choose label{display:flex;flex-direction:column;font-size:14px;line-height:20px;color:var(--muted);max-width:100%}.choose [hidden]{display:none}
.choose select,.choose input{font:inherit;font-size:15px;color:var(--ink);background:var(--paper);border:1px solid var(--grey);border-radius:4px;padding:3px 6px;max-width:100%}.choose input{width:96px}.choose .copy{margin:0}
.key{display:flex;flex-wrap:wrap;gap:4px 24px;font-size:14px;max-width:none}.swatch{display:inline-block;width:12px;height:12px;margin-right:6px;vertical-align:-1px}
.sliders label{width:min(190px,calc(50% - 8px))}#lab>.verdict{color:var(--ink);font-size:22px;line-height:28px}.sliders input{width:100%;padding:0}.sliders output{color:var(--ink)}.wide{max-width:none}.hovered{min-height:24px;max-width:none}.execution{border-left:3px solid var(--endToEnd);padding-left:16px;margin:16px 0}.execution h4{font-size:16px;margin:0 0 8px}.strip{overflow-x:auto}.strip svg{min-width:640px}.requests{max-height:320px;overflow:auto}.requests td{white-space:nowrap}
main.brief{padding:8px 48px}.brief .facts{margin:16px 0}.brief footer{margin-top:16px}
footer{margin-top:64px;padding-top:16px;border-top:1px solid var(--hair);color:var(--muted);font-size:14px}
@media (max-width:639px){.stack,.stack tbody{display:block}.stack thead{display:none}.stack tr{display:flex;flex-wrap:wrap;gap:0 16px;padding:8px 0;border-bottom:1px solid var(--hair)}.stack td{padding:0;border:0;min-width:0}.stack td:empty{display:none}.stack td[data-label]::before{content:attr(data-label) ' ';color:var(--muted)}.stack td:last-child{flex:1 0 100%;color:var(--muted)}.gates,.gates tbody,.gates tr{display:block}.gates thead{display:none}.gates tbody{padding:8px 0}.gates tr{display:flex;flex-wrap:wrap;gap:0 16px}.gates td{padding:0}.gates td:empty{display:none}.gates .name{flex:1 0 75%}.gates .measured{flex:0 0 28%;text-align:left}.gates .bound{flex:0 0 28%}.gates .interval::before{content:'95 % in '}.gates .interval{color:var(--muted);order:1}.gates .none{display:none}svg.margin{width:104px}main,main.brief{padding:16px 16px 48px}h1{font-size:18px}.lede{font-size:16px}.facts{gap:4px;margin:16px 0}.facts div{display:flex;gap:12px;align-items:baseline}.facts dt{flex:0 0 72px;line-height:inherit}.facts dd{min-width:0;overflow-wrap:anywhere}nav{gap:4px 16px;margin-top:16px}h2{margin-top:32px}h3{font-size:18px}}
@page{margin:12mm}
@media print{.explorer{display:none}.explored>details,.explored>.caption{display:block}.files{display:none}body{font-size:11px;line-height:1.35}p,h3,.lede,.reasons,.gates td.hint{max-width:none}p{margin-bottom:4px}.advice{margin:8px 0}h1{font-size:18px}.lede{font-size:14px}h3,.part{font-size:14px;margin-top:8px}th,.facts dt,.origin{font-size:11px}figure{margin:8px 0 12px}.facts{margin:8px 0}main{max-width:none;padding:0}h2{margin-top:16px;padding-top:4px;font-size:12px}footer{margin-top:16px}nav,.copy{display:none}.caption,summary{break-after:avoid}pre{white-space:pre-wrap}details table{font-size:11px;line-height:16px}details th,details td{padding:2px 8px 2px 0}details th.number,details th{white-space:normal}details td.code,details td.text{min-width:0;overflow-wrap:anywhere}tr,svg{break-inside:avoid}h2,h3{break-after:avoid}svg.w344,svg.w640{display:none}svg.w1040{display:block;max-width:82%}.scroll{overflow:visible}table{font-size:10px;line-height:14px}th,td{padding:2px 12px 2px 0}svg.margin{width:100px}}
`

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
})()
`
