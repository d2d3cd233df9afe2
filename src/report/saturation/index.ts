/** How a saturation is shown: pure functions from its document to text. */
export { renderSaturationHtml } from './html.ts'
export { renderSaturationMarkdown } from './markdown.ts'
export { renderRungLine, renderSaturation, renderSaturationPlan } from './terminal.ts'
