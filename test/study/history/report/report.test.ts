import { history } from '../../../../src/study/history/study.ts'
import { describeReports } from '../../reports.ts'
import { SAMPLES } from '../sample-histories.ts'

describeReports(history, SAMPLES)
