import { renderReportPage } from '../../../../src/report/frame/render/page.ts'
import { history } from '../../../../src/study/history/study.ts'
import { describeTexts } from '../../goldens.ts'
import { describePages } from '../../pages.ts'
import { SAMPLES } from '../sample-histories.ts'

describeTexts(history, SAMPLES)
describePages(Object.entries(SAMPLES), (document) => renderReportPage(history.report(document)))
