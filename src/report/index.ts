/** How a result is shown: pure functions from a ResultDocument to text. */
export { renderAgreement, renderAgreementHtml, renderAgreementMarkdown } from './agreement/index.ts'
export { renderHtml } from './html/index.ts'
export { renderJUnit } from './junit.ts'
export { renderMarkdown } from './markdown.ts'
export { renderPlan, renderProgress, renderProgressLine, renderTerminal } from './terminal/index.ts'
export type { LivePhase, LiveProgress, PlanFacts } from './terminal/index.ts'
