/** How an agreement is shown: pure functions from its document to text. */
export { renderAgreementHtml } from './html.ts'
export { renderAgreementMarkdown } from './markdown.ts'
export { renderAgreement } from './terminal.ts'
