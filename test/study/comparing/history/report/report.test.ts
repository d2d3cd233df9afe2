import { history } from '../../../../../src/study/comparing/history/study.ts'
import { describeStudy } from '../../../reports.ts'
import { SAMPLES } from '../sample-histories.ts'

describeStudy(history, SAMPLES)
