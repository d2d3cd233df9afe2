/** Reports of a recovery test. */
export { renderRecoveryHtml } from './html.ts'
export { renderRecoveryMarkdown } from './markdown.ts'
export { renderRecovery, renderRecoveryPlan, renderTrialLine } from './terminal.ts'
