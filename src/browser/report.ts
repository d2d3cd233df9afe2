/** What the page of a run adds by script: its raster of executions becomes one to search. */
import { unpacked } from '../report/run/sections/executions/pack.ts'
import type { PackedExecutions } from '../report/run/sections/executions/pack.ts'
import { inflated } from './inflated.ts'
import { createExplorer } from './explorer/explorer.ts'

const figure = document.querySelector('#executions')
const data = document.querySelector('#executions-data')
if (figure !== null && data !== null) void show(figure, data.textContent ?? '')

/** A browser that cannot inflate keeps the picture that the page has without script. */
async function show(figure: Element, deflated: string): Promise<void> {
  if (!('DecompressionStream' in globalThis)) return
  const packed = JSON.parse(await inflated(deflated)) as PackedExecutions
  const explorer = createExplorer({ ...packed, rows: unpacked(packed) })
  figure.classList.add('explored')
  figure.append(explorer.element)
  explorer.update({})
  if (location.hash.includes('execution=')) explorer.element.scrollIntoView()
}
